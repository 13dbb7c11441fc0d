import { z } from 'zod';
import type { Condition } from '../conditions.ts';
import { type cacheFields, UNCACHED } from './cache.ts';
import { traits } from './field-traits.ts';

/** What of a page is compared. */
export const Compared = z.enum(['markdown', 'text', 'extract']);
export type Compared = z.infer<typeof Compared>;

export const ChangeOptions = z.strictObject({
  of: Compared.optional().describe(
    'What is compared: `markdown` or `text` by lines, `extract` by the values of `extract_rules`. Absent: `markdown`.',
  ),
  tag: z
    .string()
    .regex(/^[\w.:-]{1,64}$/, 'expected 1 to 64 letters, digits, _ . : and -')
    .optional()
    .describe(
      'Compares only with results of the same tag, so that each of several watchers learns of every change. Absent: results without a tag.',
    ),
  context: z
    .int()
    .min(0)
    .max(20)
    .optional()
    .describe('Of `markdown` and `text`: unchanged lines around each change. Absent: 3.'),
});
export type ChangeOptions = z.infer<typeof ChangeOptions>;

/** Without `default`, so that requests without it stay what they were. */
export const changeField = {
  change: ChangeOptions.optional()
    .describe(
      "Of the format `change`, which compares the page with your organization's last result for the same URL, fields and `tag`.",
    )
    .meta({ examples: [{ of: 'text', tag: 'nightly' }] })
    .register(traits, { in: 'body', secret: true }),
};

export type Comparing = {
  format?: string | undefined;
  formats?: readonly string[] | undefined;
  change?: ChangeOptions | undefined;
};

/** What a request compares. Undefined without the format `change`. */
export function comparedIn({ format, formats = [], change = {} }: Comparing): Compared | undefined {
  const isAsked = format === 'change' || (format === 'json' && formats.includes('change'));
  return isAsked ? (change.of ?? 'markdown') : undefined;
}

type Wanted = Comparing &
  Partial<z.output<z.ZodObject<typeof cacheFields>>> &
  Partial<Record<Uncached, unknown>>;
type Uncached = (typeof UNCACHED)[number];

const error = 'not allowed with the format change';

export const changeConditions: readonly Condition<Wanted>[] = [
  {
    name: 'change',
    error: 'only allowed with the format change',
    isMet: (asked) => asked.change === undefined || comparedIn(asked) !== undefined,
  },
  // A kept page was compared when it was new.
  { name: 'max_age', error, isMet: (asked) => !asked.max_age || comparedIn(asked) === undefined },
  { name: 'revalidate', error, isMet: (asked) => !asked.revalidate || comparedIn(asked) === undefined },
  ...UNCACHED.map((name) => ({
    ...{ name, error },
    isMet: (asked: Wanted) => asked[name] === undefined || comparedIn(asked) === undefined,
  })),
];

/** A value before and now. One of them is absent if there was none. */
export const ChangedField = z.object({ old: z.unknown().optional(), new: z.unknown().optional() });
export type ChangedField = z.infer<typeof ChangedField>;

/** The body of `format=change`. */
export const Change = z
  .object({
    status: z
      .enum(['new', 'same', 'changed', 'removed'])
      .optional()
      .describe(
        '`new`: there is no earlier result. `removed`: the target answered 404 or 410, and there was a page before. Absent if what came is no page: a wall, an error, an empty page, or a page that was cut off. It then does not count as a result.',
      ),
    previous_at: z.iso
      .datetime()
      .optional()
      .describe('When the page was fetched that this one is compared with.'),
    diff: z
      .string()
      .optional()
      .describe('Of `markdown` and `text` that are `changed`: a unified diff, which `patch` applies.'),
    fields: z
      .record(z.string(), ChangedField)
      .optional()
      .describe(
        'Of an `extract` that is `changed`: the values that differ, by their paths, such as `products[2].price`.',
      ),
  })
  .describe('How the page differs from the last result.');
export type Change = z.infer<typeof Change>;
