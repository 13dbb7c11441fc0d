import { z } from 'zod';
import { camelCased } from '../case.ts';
import { epochSeconds, isoDate } from '../time.ts';
import { PageHead } from './page.ts';

const measured = { sha256: z.string(), bytes: z.int() };

/** Where a page's bytes are. */
export const storedBody = {
  result_key: z.string(),
  /** Of the page before compression, hexadecimal. */
  ...measured,
  /** The compressed page, if that is what the key holds. */
  gzip: z.object(measured).optional(),
};

/** A page that is kept for repeats of its request. */
export const CachedPage = camelCased(
  z.object({
    ...storedBody,
    head: PageHead,
    /** The validators of the document: https://www.rfc-editor.org/rfc/rfc9110#section-8.8 */
    etag: z.string().optional(),
    last_modified: z.string().optional(),
    /** When it was fetched, or found unchanged. */
    fetched_at: isoDate,
    expires_at: epochSeconds,
    /** What has fetched it, and of a comparison the result before it, in case that runs twice. */
    work_id: z.string().optional(),
    before: camelCased(z.object({ ...storedBody, fetched_at: isoDate })).optional(),
  }),
);
export type CachedPage = z.infer<typeof CachedPage>;

/** Where its bytes are, and the bytes of the result before it. */
export const storedKeys = ({ resultKey, before }: Pick<CachedPage, 'resultKey' | 'before'>): string[] => [
  resultKey,
  ...(before ? [before.resultKey] : []),
];
export type StoredBody = Pick<CachedPage, 'resultKey' | 'sha256' | 'bytes' | 'gzip'>;
