import { z } from 'zod';
import type { Condition } from '../conditions.ts';
import { comparedIn, type Comparing } from './change.ts';
import { traits } from './field-traits.ts';
import { ValueSchema } from './value-schema.ts';

const MAX_PROMPT_LENGTH = 4_000;

/** What a model costs beside the price of the page that it reads. */
export const EXTRACTION_CREDITS = 5;

export const extractionCredits = ({ extractSchema }: { extractSchema?: unknown }): number =>
  extractSchema === undefined ? 0 : EXTRACTION_CREDITS;

/** Without `default`, so that requests without them stay what they were. */
export const extractSchemaFields = {
  extract_schema: ValueSchema.optional()
    .describe(
      'For `extract`: a JSON Schema (2020-12) of the object that comes back, which a language model reads from the Markdown of the page. Up to 50 KB, 200 properties and 8 levels; `$ref` only within the schema. Beside `extract_rules`, the model fills what they do not find. 5 credits beside the price of the page.',
    )
    .meta({ examples: [{ type: 'object', properties: { price: { type: 'number' } } }] })
    .register(traits, { in: 'body', secret: true }),
  extract_prompt: z
    .string()
    .min(1, { abort: true })
    .max(MAX_PROMPT_LENGTH)
    .optional()
    .describe(
      'Instructions for the model in addition to `extract_schema`, such as which of several prices to take. Up to 4,000 characters.',
    )
    .meta({ examples: ['Prices without tax.'] })
    .register(traits, { in: 'body', secret: true }),
};

type Asked = z.output<z.ZodObject<typeof extractSchemaFields>>;

export const extractSchemaConditions = <A extends Asked & Comparing>(
  hasExtract: (asked: A) => boolean,
): readonly Condition<A>[] => [
  {
    name: 'extract_schema',
    error: 'only allowed with extract',
    isMet: (asked) => asked.extract_schema === undefined || hasExtract(asked),
  },
  {
    name: 'extract_schema',
    error: 'not allowed with a change of extract, which compares values of extract_rules',
    isMet: (asked) => asked.extract_schema === undefined || comparedIn(asked) !== 'extract',
  },
  {
    name: 'extract_prompt',
    error: 'only allowed with extract_schema',
    isMet: (asked) => asked.extract_prompt === undefined || asked.extract_schema !== undefined,
  },
];
