import { z } from 'zod';

/** A JSON Schema (2020-12) of an object, as requested. */
export type ValueSchema = Record<string, unknown>;

/** What a model reads from a page. */
export type Question = {
  schema: ValueSchema;
  prompt?: string | undefined;
  /** The page, both of the requested scope. */
  markdown: string;
  text: string;
  /** The page is longer than its Markdown here. */
  truncated?: true | undefined;
  /** Values of `extract_rules`, by name; null and [] are not found. */
  found?: Record<string, unknown> | undefined;
};

/** Whether a value stands in the page. */
export const Evidence = z.object({
  path: z.string().describe('The path of the value, such as `products[0].price`.'),
  evidence: z
    .enum(['quoted', 'not_in_page'])
    .describe('`quoted`: it stands in the text of the page. `not_in_page`: it does not.'),
});
export type Evidence = z.infer<typeof Evidence>;

/** Tokens of all calls of the model, as it counts them. */
export const ModelTokens = z.object({ in: z.int(), out: z.int() });
export type ModelTokens = z.infer<typeof ModelTokens>;

export type Reading = {
  values: Record<string, unknown>;
  evidence: Evidence[];
  /** The page was cut before the model read it. */
  truncated?: true | undefined;
  tokens: ModelTokens;
};
