import { html } from 'hono/html';

/** Markup. In a template of `html` every value that is none is escaped. */
export type Html = ReturnType<typeof html>;

export { html };
