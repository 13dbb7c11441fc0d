import type { Json } from '../../contract/json-schema.ts';
import type { Change } from '../../contract/scrape/change.ts';
import type { Envelope } from '../../contract/scrape/envelope.ts';
import type { Metadata } from '../../contract/scrape/metadata.ts';
import type { Extracted, Format, Link } from '../../contract/scrape/output.ts';
import { always, headersOf, usage } from './header-groups.ts';
import type { HeaderName } from './headers.ts';

const links: Link[] = [{ url: 'https://www.iana.org/domains/example', text: 'More information', rel: '' }];
const metadata: Metadata = { title: 'Example Domain', language: 'en' };
const extract: Extracted = { heading: 'Example Domain', price: null };
const change: Change = {
  status: 'changed',
  previous_at: '2026-11-21T12:00:00.000Z',
  diff: '--- previous\n+++ current\n@@ -1,1 +1,1 @@\n-Price: 20 EUR\n+Price: 18 EUR\n',
};
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
  extract_report: [
    { rule: 'price', selector: '.price', reason: 'no_match' },
    { path: 'heading', evidence: 'quoted' },
  ],
  model_tokens: { in: 812, out: 44 },
};

type JsonFormat = Exclude<Format, 'html' | 'clean_html' | 'markdown' | 'text' | 'screenshot' | 'pdf'>;

/** A body of each format that is JSON. */
const pageExamples = {
  json: { summary: 'format=json', value: envelope },
  links: { summary: 'format=links', value: links },
  images: { summary: 'format=images', value: ['https://example.com/logo.svg'] },
  metadata: { summary: 'format=metadata', value: metadata },
  extract: { summary: 'format=extract', value: extract },
  change: { summary: 'format=change', value: change },
} satisfies Record<JsonFormat, Json>;

/** Their schemas by the names in `components`. */
export const jsonFormats = {
  json: 'Envelope',
  links: 'Links',
  images: 'Images',
  metadata: 'Metadata',
  extract: 'Extracted',
  change: 'Change',
} as const satisfies Record<JsonFormat, string>;

/** Bytes of any type: the target's response, or the DOM as HTML. */
export const anyBytes = {
  '*/*': {
    schema: { type: 'string', format: 'binary' },
    examples: { html: { summary: 'HTML', value: '<!doctype html><title>Example</title><h1>Example</h1>' } },
  },
};

/** A page in any format. */
export const anyPage = {
  ...anyBytes,
  'application/json': {
    schema: {
      description: "By `format`. Without `format`, the target's own JSON.",
      anyOf: [
        ...Object.values(jsonFormats).map((name) => ({ $ref: `#/components/schemas/${name}` })),
        { type: ['object', 'array', 'string', 'number', 'boolean', 'null'] },
      ],
    },
    examples: pageExamples,
  },
};

/** JSON content that refers to a schema in `components`. */
export function jsonOf(name: string, examples: Json): Json {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${name}` }, examples } };
}

/** Lines of JSON, each by a schema in `components`. */
export function linesOf(name: string, examples: Json): Json {
  return {
    'application/x-ndjson': {
      schema: {
        type: 'string',
        description: `Lines of JSON, each a \`${name}\`.`,
        contentMediaType: 'application/x-ndjson',
        contentSchema: { $ref: `#/components/schemas/${name}` },
      },
      examples,
    },
  };
}

/** A response to an authenticated caller. */
export function metered(description: string, headers: readonly HeaderName[], content?: Json): Json {
  return { description, headers: headersOf([...always, ...usage, ...headers]), ...(content && { content }) };
}

/** A response that needs no key. */
export function open(
  description: string,
  type: string,
  media: Json,
  headers: readonly HeaderName[] = [],
): Json {
  return { ...openWithoutContent(description, headers), content: { [type]: media } };
}

export function openWithoutContent(description: string, headers: readonly HeaderName[]): Json {
  return { description, headers: headersOf([...always, ...headers]) };
}
