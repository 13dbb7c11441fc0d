import { z } from 'zod';
import { camelCased } from '../case.ts';
import type { Condition } from '../conditions.ts';
import { traits } from './field-traits.ts';
import type { outputFields } from './output.ts';

/** The most characters in one part. */
const MAX_CHARS = 5_000_000;

const maxChars = z.int().min(1_000).max(MAX_CHARS).optional();
/** Beyond the end of any page. */
const offset = z.int().min(0).max(100_000_000).optional();

/** Without `default`, so that a request without them gets its whole page. */
export const sliceFields = {
  max_chars: maxChars
    .describe(
      'Of `markdown` and `text`: return only a part of at most this many characters (Unicode code points), 1,000 to 5,000,000. It ends between two blocks if possible. `X-Total-Chars` is the total length, and `X-Next-Offset` where the next part begins. Absent: the whole, or 5,000,000 with `offset`.',
    )
    .register(traits, { shapesPage: false }),
  offset: offset
    .describe(
      'Of `markdown` and `text`: where the part begins, in characters from the beginning: the `X-Next-Offset` of the previous part. Absent: 0.',
    )
    .register(traits, { shapesPage: false }),
};

/** The query of a result. */
export const ResultQuery = camelCased(
  z.strictObject({
    max_chars: maxChars.describe(
      "Of Markdown and text: only a part of at most this many characters, 1,000 to 5,000,000. Without `max_chars` and `offset`, those of the job's request apply, if any. Absent: 5,000,000.",
    ),
    offset: offset.describe(
      'Of Markdown and text: where the part begins, in characters: the `X-Next-Offset` of the previous part. Absent: 0.',
    ),
  }),
);

export type ResultQuery = z.infer<typeof ResultQuery>;

/** Which part of a text, in code points. */
export type SliceRange = { offset: number; maxChars: number };

/** A part of a text, where the next one begins, if any, and the length of the whole in code points. */
export type Slice = { text: string; totalChars: number; nextOffset?: number };

/** The part that a request is for. Undefined for the whole. */
export function sliceRangeOf(asked: {
  maxChars?: number | undefined;
  offset?: number | undefined;
}): SliceRange | undefined {
  const { maxChars = MAX_CHARS, offset = 0 } = asked;
  return asked.maxChars === undefined && asked.offset === undefined ? undefined : { offset, maxChars };
}

type Asked = z.output<z.ZodObject<typeof sliceFields & Pick<typeof outputFields, 'format'>>>;

/** Whether what a request returns is text that can be cut. */
export const isSliceable = ({ format }: Pick<Asked, 'format'>) => format === 'markdown' || format === 'text';

export const sliceConditions: readonly Condition<Asked>[] = (['max_chars', 'offset'] as const).map(
  (name) => ({
    name,
    error: 'only allowed with format=markdown or format=text',
    isMet: (asked) => asked[name] === undefined || isSliceable(asked),
  }),
);
