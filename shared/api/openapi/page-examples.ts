import type { Envelope } from '../../contract/scrape/envelope.ts';
import type { Extracted, Link, Metadata } from '../../contract/scrape/output.ts';

const links: Link[] = [{ url: 'https://www.iana.org/domains/example', text: 'More information', rel: '' }];
const metadata: Metadata = { title: 'Example Domain', language: 'en' };
const extract: Extracted = { heading: 'Example Domain', price: null };
const envelope: Envelope = {
  url: 'https://example.com/',
  status: 200,
  redirects: 0,
  content_type: 'text/html; charset=utf-8',
  verdict: 'page',
  headers: { 'content-type': 'text/html; charset=utf-8', server: 'ExampleServer' },
  cookies: { session: 'a1b2' },
  markdown: '# Example Domain\n\nThis domain is for use in documentation examples.\n',
  content_scope: 'full',
  content_coverage: 1,
  links,
  metadata,
  extract,
  extract_report: [{ rule: 'price', selector: '.price', reason: 'no_match' }],
};

/** A body of each format that is JSON. */
export const pageExamples = {
  json: { summary: 'format=json', value: envelope },
  links: { summary: 'format=links', value: links },
  metadata: { summary: 'format=metadata', value: metadata },
  extract: { summary: 'format=extract', value: extract },
};
