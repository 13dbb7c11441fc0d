import parseRange from 'range-parser';
import { AppError } from '../errors.ts';
import type { Call } from './call.ts';

type Headers = Call['headers'];

/** They identify one version of a representation. */
type Validators = { ETag: string; 'Last-Modified'?: string };

/** Both ends are included. */
export type ByteRange = { start: number; end: number };

/** Whether the caller has this representation already: RFC 9110 sections 13.1.2 and 13.1.3. */
export function isNotModified(headers: Headers, validators: Validators): boolean {
  const tags = headers['if-none-match'];
  if (tags === undefined)
    return Date.parse(headers['if-modified-since'] ?? '') >= Date.parse(validators['Last-Modified'] ?? '');
  return isListed(validators.ETag, tags.replaceAll('W/', ''));
}

/** Throws `precondition_failed` if the caller wants only another version: RFC 9110, 13.1.1 and 13.1.4. */
export function assertPreconditions(headers: Headers, validators: Validators): void {
  const { 'if-match': tags, 'if-unmodified-since': date = '' } = headers;
  const isOther =
    tags === undefined
      ? Date.parse(date) < Date.parse(validators['Last-Modified'] ?? '')
      : !isListed(validators.ETag, tags);
  if (isOther) throw new AppError('precondition_failed');
}

function isListed(etag: string, tags: string): boolean {
  return tags.split(',').some((tag) => [etag, '*'].includes(tag.trim()));
}

/**
 * The part that a Range header selects. Undefined means the whole page: also for several parts, an invalid
 * range and an outdated If-Range (RFC 9110 sections 13.1.5 and 14.2). Throws `range_not_satisfiable`.
 */
export function rangeOf(headers: Headers, validators: Validators, bytes: number): ByteRange | undefined {
  const { range, 'if-range': condition } = headers;
  if (range === undefined) return undefined;
  if (condition !== undefined && !Object.values(validators).includes(condition.trim())) return undefined;
  if (endsBeforeItBegins(range)) return undefined;
  const ranges = parseRange(bytes, atMost(range, bytes), { combine: true });
  if (ranges === UNSATISFIABLE)
    throw new AppError('range_not_satisfiable', { headers: { 'Content-Range': `bytes */${bytes}` } });
  if (ranges === MALFORMED || ranges.type !== 'bytes') return undefined;
  return ranges.length === 1 ? ranges[0] : undefined;
}

/** The last N bytes of a shorter page are the whole page, RFC 9110 section 14.1.2; the parser gives none. */
function atMost(range: string, bytes: number): string {
  return range.replace(/(?<=[=,]\s*-)\d+/g, (last) => String(Math.min(Number(last), bytes)));
}

/** Such a range is invalid, which is not unsatisfiable: RFC 9110 section 14.1.1. */
function endsBeforeItBegins(range: string): boolean {
  // Only where digits begin: from each of them on, thousands take a quarter of a second.
  return [...range.matchAll(/(?<!\d)(\d+)-(\d+)/g)].some(([, first, last]) => Number(last) < Number(first));
}

const UNSATISFIABLE = -1;
const MALFORMED = -2;
