import { html } from 'hono/html';

/** Markup. An `html` template escapes every other value. */
export type Html = ReturnType<typeof html>;

export { html };
