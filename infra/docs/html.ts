import { html, raw } from 'hono/html';

/** Markup. An `html` template escapes every other value. */
export type Html = ReturnType<typeof html>;

export { html, raw };

/** The text of markup, no part of which is a promise. */
export const textOf = (markup: Html): string => String(markup);
