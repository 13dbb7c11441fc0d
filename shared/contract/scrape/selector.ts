import { compile } from 'css-select';
import { parse } from 'css-what';
import { memoize } from '../memoize.ts';

/** Whether a text looks like a CSS selector. The browser makes the final check. */
export const isSelector = memoize((text): boolean => {
  try {
    return parse(text).length > 0;
  } catch {
    return false;
  }
});

/** Whether a text is a CSS selector that can be looked for in a page without a browser. */
export const isPageSelector = memoize((text): boolean => {
  try {
    compile(text);
    return true;
  } catch {
    return false;
  }
});
