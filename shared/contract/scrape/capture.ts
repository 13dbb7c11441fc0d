import { z } from 'zod';
import type { Condition } from '../conditions.ts';
import { traits } from './field-traits.ts';

/** Of one body, and of all together. Larger ones are left out. */
export const MAX_CAPTURED_BYTES = 1_000_000;
export const MAX_ALL_CAPTURED_BYTES = 5_000_000;

/** Which responses to the page's own requests are kept. */
export const CaptureRule = z.strictObject({
  url: z
    .string()
    .min(1)
    .max(2_048)
    .describe(
      'The URL, or a URL that redirected to it: `*` stands for any text, and a pattern without `*` matches any part of the URL.',
    ),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional().describe('Absent: any method.'),
  type: z.enum(['fetch', 'xhr']).optional().describe('How a script requested it. Absent: either.'),
  body: z.boolean().optional().describe('Whether the body is kept, or only the head. Absent: true.'),
});
export type CaptureRule = z.infer<typeof CaptureRule>;

export const captureField = {
  capture: z
    .array(CaptureRule)
    .min(1)
    .max(10)
    .optional()
    .describe(
      'Keeps responses fetched by scripts of the page and its workers, up to 1 MB each and 5 MB in total, as `capture` in the envelope. Only with `render_js`, which is then true if absent, and `format=json`. Only in the JSON body of a POST.',
    )
    .meta({ examples: [[{ url: '*/api/products*' }]] })
    .register(traits, { in: 'body', secret: true }),
};

type Asked = { capture?: CaptureRule[] | undefined; render_js: boolean } & {
  mode?: 'auto' | undefined;
  format?: string | undefined;
};

export const captureConditions: readonly Condition<Asked>[] = [
  {
    name: 'capture',
    error: 'only allowed with render_js',
    isMet: ({ capture, render_js: isRendered, mode }) =>
      capture === undefined || isRendered || mode !== undefined,
  },
  {
    name: 'capture',
    error: 'only allowed with format=json',
    isMet: ({ capture, format }) => capture === undefined || format === 'json',
  },
];

/** A response that was kept. */
export const Captured = z.object({
  url: z.string().describe('Its URL.'),
  requested_url: z
    .string()
    .optional()
    .describe('The URL that the page requested, if it redirected to `url`.'),
  method: z.string().describe('The method of the request.'),
  type: z.enum(['fetch', 'xhr']).describe('How the page requested it.'),
  status: z.int().describe('Its HTTP status.'),
  headers: z.record(z.string(), z.string()).describe('Its headers by their lower-case names.'),
  body: z.string().optional().describe('Its body, decoded, as text or base64. Empty if it has none.'),
  body_encoding: z.literal('base64').optional().describe('Present if the body is not UTF-8.'),
  omitted: z.enum(['too_large', 'unavailable']).optional().describe('Why a wanted body is missing.'),
});
export type Captured = z.infer<typeof Captured>;
