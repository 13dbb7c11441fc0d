import { z } from 'zod';
import type { Condition } from '../conditions.ts';
import { traits } from './field-traits.ts';

export const TargetMethod = z.enum(['GET', 'POST', 'PUT', 'PATCH']);
export type TargetMethod = z.infer<typeof TargetMethod>;

/** Of the text in UTF-8. */
export const MAX_TARGET_BODY_BYTES = 256 * 1_024;

/** How the target is requested. Without `default`: generated clients would send it with `render_js` too. */
export const targetRequest = {
  method: TargetMethod.optional()
    .describe(
      'The method of the request to the target. A redirect with 303, or with 301 or 302 after a POST, is followed by GET without the body; 307 and 308 keep both. Only in the JSON body of a POST, and not with `render_js`. Absent: GET.',
    )
    .register(traits, { in: 'body' }),
  body: z
    .string()
    .refine(
      (text) => Buffer.byteLength(text) <= MAX_TARGET_BODY_BYTES,
      'must not be longer than 262144 bytes in UTF-8',
    )
    .optional()
    .describe(
      'The body of the request to the target: text of up to 256 KiB. Your `Content-Type` in `headers` says what it is; without one it is `text/plain;charset=UTF-8`. It is sent once, and deleted when its job ends. Only with the method POST, PUT or PATCH.',
    )
    .meta({ examples: ['{"query": "shoes"}'] })
    .register(traits, { in: 'body', secret: true }),
};

type Wanted = { render_js: boolean; method?: TargetMethod | undefined; body?: string | undefined };

export const targetConditions: readonly Condition<Wanted>[] = [
  {
    name: 'method',
    error: 'only allowed without render_js',
    isMet: ({ method, render_js: isRendered }: Wanted) => method === undefined || !isRendered,
  },
  {
    name: 'body',
    error: 'only allowed with the method POST, PUT or PATCH',
    isMet: ({ method = 'GET', body }: Wanted) => body === undefined || method !== 'GET',
  },
];

/** A request that may be sent again without harm. */
export function isRepeatable({ method }: { method?: TargetMethod | undefined }): boolean {
  return method === undefined || method === 'GET';
}
