import type { ResponseHeaders } from '../../contract/scrape/response-headers.ts';

const SECONDS = /^\d{1,9}$/;
/** A target that says 0 would be requested again within the same second. */
const LEAST_SECONDS = 1;

/**
 * Seconds to wait by `Retry-After`: a number, or a date by the target's own clock. Undefined if it is absent
 * or invalid. https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function retryAfterSeconds(headers: ResponseHeaders, now: Date): number | undefined {
  const text = first(headers['retry-after']).trim();
  if (SECONDS.test(text)) return Math.max(LEAST_SECONDS, Number(text));
  // JavaScript takes other words for dates too, such as "1.5" for a day in 2001.
  const until = /^[A-Z][a-z]+, /.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(until)) return undefined;
  const since = Date.parse(first(headers['date']));
  return Math.max(LEAST_SECONDS, Math.ceil((until - (since || now.getTime())) / 1_000));
}

const first = (value: string | string[] = '') => [value].flat()[0] ?? '';
