import { z } from 'zod';
import { snakeKeys } from '../case.ts';
import type { Condition } from '../conditions.ts';
import { traits } from './field-traits.ts';

/** For as long as a page is kept at most: 30 days. */
const MAX_AGE_SECONDS = 2_592_000;

/** Without `default`, so that requests without them stay what they were. */
export const cacheFields = {
  max_age: z
    .int()
    .min(0)
    .max(MAX_AGE_SECONDS)
    .optional()
    .describe(
      'Seconds, up to 2,592,000. A page of the same request that is not older is returned at once, for free: see `X-Cache`. Not with `method`, `body`, `js_scenario`, `session_id`, `cookies` or `headers`. Absent: 0.',
    )
    .meta({ examples: [3_600] })
    .register(traits, { shapesPage: false }),
  revalidate: z
    .boolean()
    .optional()
    .describe(
      'Return an older page if the target says that it is unchanged, at the price of a plain one. Absent: true.',
    )
    .register(traits, { shapesPage: false }),
};

type Wanted = { max_age?: number | undefined } & Partial<Record<Uncached, unknown>>;
type Uncached = (typeof UNCACHED)[number];

/** With these, a response is for one caller at one time, and is not kept. */
export const UNCACHED = ['method', 'body', 'js_scenario', 'session_id', 'cookies', 'headers'] as const;

export const cacheConditions: readonly Condition<Wanted>[] = UNCACHED.map((name) => ({
  name,
  error: 'not allowed with max_age',
  isMet: ({ max_age: maxAge = 0, ...request }) => maxAge === 0 || request[name] === undefined,
}));

type Asked = { maxAge?: number | undefined; revalidate?: boolean | undefined };

/** Whether a kept page is looked for, and the page of the request kept. */
export function isCacheable(request: Asked): boolean {
  const { maxAge = 0, revalidate } = request;
  const sent = snakeKeys(request);
  return (maxAge > 0 || revalidate === true) && !UNCACHED.some((name) => name in sent);
}

/** What came of a request whose page may be kept. */
export const CacheState = z.enum(['hit', 'miss', 'revalidated']);
export type CacheState = z.infer<typeof CacheState>;
