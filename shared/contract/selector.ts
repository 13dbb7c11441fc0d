import { parse } from 'css-what';

/** Whether a text looks like a CSS selector. The browser makes the final check. */
export function isSelector(text: string): boolean {
  try {
    return parse(text).length > 0;
  } catch {
    return false;
  }
}
