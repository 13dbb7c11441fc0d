import { html, raw } from 'hono/html';

/** Markup. An `html` template escapes every other value. */
export type Html = ReturnType<typeof html>;

export { html, raw };

/** The text of markup. Throws if a part of it is a promise. */
export function textOf(markup: Html): string {
  if (markup instanceof Promise) throw new TypeError('A part of the markup is a promise.');
  return markup.toString();
}
