import type { Page } from '../../../shared/contract/scrape/page.ts';

/** A page as a target might return it. */
export function page(body: string, rest: Partial<Page> = {}): Page {
  return {
    status: 200,
    url: 'https://example.com/',
    redirects: 0,
    contentType: 'text/html',
    body: Buffer.from(body),
    ...rest,
  };
}
