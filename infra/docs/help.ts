/** Why an error happens and what to do about it, in Markdown, for readers of `/docs/errors/<code>`. */
export type Help = { cause: string; remedy: string };
