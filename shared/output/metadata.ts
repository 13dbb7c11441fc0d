import { type Document, type Element } from 'domhandler';
import type { Metadata } from '../contract/output.ts';
import { find, findAll, rawText } from './tree.ts';

type Absolute = (href: string) => string | undefined;

const ARTICLE = /Article|BlogPosting|NewsArticle|WebPage|Product|Recipe|Event|VideoObject/;
const FEEDS = /^application\/(?:rss|atom)\+xml$|^application\/feed\+json$/i;

/** What a page says about itself: its structured data first, then Open Graph, then its `meta` elements. */
export function metadataOf(document: Document, absolute: Absolute): Metadata {
  const metas = metaTags(document);
  const jsonLd = structured(document);
  const main = jsonLd.flatMap(nodesOf).find(({ '@type': type }) => ARTICLE.test(String(type))) ?? {};
  const micro = (name: string) => property(document, name);
  const link = (rel: string) => find(document, (element) => isLink(element, rel))?.attribs.href;
  const html = find(document, ({ name }) => name === 'html');
  const title = find(document, ({ name, parent }) => name === 'title' && !isIn(parent, 'svg'));
  const url = (text: string | undefined) => (text ? absolute(text) : undefined);
  return present({
    title: first(metas['og:title'], metas['twitter:title'], title && rawText(title), textOf(main.headline)),
    description: first(
      metas['og:description'],
      metas.description,
      metas['twitter:description'],
      textOf(main.description),
    ),
    language: first(
      html?.attribs.lang,
      html?.attribs['xml:lang'],
      metas['content-language'],
      metas['og:locale'],
    ),
    canonical: url(first(link('canonical'), metas['og:url'])),
    author: first(nameOf(main.author), metas.author, metas['article:author'], micro('author')),
    published_at: dated(
      first(
        textOf(main.datePublished),
        metas['article:published_time'],
        metas.date,
        metas['dc.date'],
        micro('datePublished'),
      ),
    ),
    site_name: first(metas['og:site_name'], metas['application-name'], nameOf(main.publisher)),
    image: url(
      first(
        metas['og:image'],
        metas['og:image:url'],
        metas['twitter:image'],
        imageOf(main.image),
        micro('image'),
      ),
    ),
    feeds: feedsOf(document, absolute),
    json_ld: jsonLd,
  });
}

function metaTags(document: Document): Record<string, string | undefined> {
  const tags: Record<string, string> = {};
  for (const { attribs } of findAll(document, ({ name }) => name === 'meta')) {
    const name = (attribs.property ?? attribs.name ?? attribs['http-equiv'])?.toLowerCase();
    if (name !== undefined && attribs.content && !(name in tags)) tags[name] = attribs.content;
  }
  return tags;
}

type Node = Record<string, unknown>;

/** All JSON-LD that can be read. */
function structured(document: Document): unknown[] {
  const scripts = findAll(
    document,
    ({ name, attribs }) => name === 'script' && /ld\+json/i.test(attribs.type ?? ''),
  );
  return scripts.flatMap((script) => {
    try {
      const json = rawText(script).replace(/^\s*<!--|-->\s*$|^\s*\/\*.*?\*\/|\/\*.*?\*\/\s*$/g, '');
      return [JSON.parse(json) as unknown];
    } catch {
      return [];
    }
  });
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

function nodesOf(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(nodesOf);
  if (!isNode(value)) return [];
  return [value, ...('@graph' in value ? nodesOf(value['@graph']) : [])];
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

function nameOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(nameOf).filter(Boolean).join(', ') || undefined;
  return isNode(value) ? textOf(value.name) : undefined;
}

function imageOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return imageOf(value[0]);
  return isNode(value) ? textOf(value.url) : textOf(value);
}

/** The value of a microdata property: https://html.spec.whatwg.org/multipage/microdata.html#values */
function property(document: Document, name: string): string | undefined {
  const element = find(document, ({ attribs }) => attribs.itemprop === name);
  if (!element) return undefined;
  const { content, datetime, src, href } = element.attribs;
  return content ?? datetime ?? src ?? (element.name === 'link' ? href : rawText(element));
}

const isLink = ({ name, attribs }: Element, rel: string) =>
  name === 'link' &&
  attribs.href !== undefined &&
  (attribs.rel ?? '').toLowerCase().split(/\s+/).includes(rel);

function isIn(parent: Element['parent'], name: string): boolean {
  return parent !== null && 'name' in parent && parent.name === name;
}

function feedsOf(document: Document, absolute: Absolute): Metadata['feeds'] {
  const links = findAll(
    document,
    (element) => isLink(element, 'alternate') && FEEDS.test(element.attribs.type ?? ''),
  );
  const feeds = links.flatMap(({ attribs }) => {
    const url = absolute(attribs.href ?? '');
    return url === undefined
      ? []
      : [present({ url, title: attribs.title, type: attribs.type?.toLowerCase() })];
  });
  return feeds.length > 0 ? feeds : undefined;
}

/** ISO 8601 for dates that name their time zone; others stay as they are written. */
export function dated(text: string | undefined): string | undefined {
  if (text === undefined || !/(?:Z|[+-]\d\d:?\d\d|GMT|UTC)$/i.test(text.trim())) return text;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : date.toISOString();
}

export function first(...texts: readonly (string | undefined)[]): string | undefined {
  for (const text of texts) {
    const tidy = text?.replace(/\s+/g, ' ').trim();
    if (tidy) return tidy;
  }
  return undefined;
}

/** Without what is absent or empty. */
export function present<T extends object>(value: T): T {
  const entries = Object.entries(value).filter(
    ([, item]) => item !== undefined && !(Array.isArray(item) && item.length === 0),
  );
  return Object.fromEntries(entries) as T;
}
