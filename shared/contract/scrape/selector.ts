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
