import { parse } from 'css-what';

/** Whether a text is a CSS selector by its syntax. The browser has the last word on it. */
export function isSelector(text: string): boolean {
  try {
    return parse(text).length > 0;
  } catch {
    return false;
  }
}
