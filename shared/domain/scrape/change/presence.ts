import type { PageHead } from '../../../contract/scrape/page.ts';

const GONE: readonly number[] = [404, 410];

/** Whether a response shows that its page is there or gone; walls and errors show neither. */
export function presence({ status, verdict, contentTruncated }: PageHead): 'there' | 'gone' | 'unknown' {
  const { kind } = verdict ?? {};
  if (GONE.includes(status) && (kind === 'page' || kind === 'empty')) return 'gone';
  return status < 400 && kind === 'page' && !contentTruncated ? 'there' : 'unknown';
}
