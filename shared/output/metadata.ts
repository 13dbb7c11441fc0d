import type { Document, Element } from 'domhandler';
import type { Metadata } from '../contract/scrape/metadata.ts';
import { find, rawText, findAll } from '../html/tree.ts';
import { imagesOf, jsonLdOf, mainNodeOf, nameOf, textOf } from './json-ld.ts';

type Absolute = (href: string) => string | undefined;

/** What a page says about itself: its structured data first, then Open Graph, then its `meta` elements. */
export function metadataOf(document: Document, absolute: Absolute): Metadata {
  const metas = metaTags(document);
  const { blocks: jsonLd, omitted } = jsonLdOf(document);
  const main = mainNodeOf(jsonLd);
  const meta = (...names: string[]) => first(...names.map((name) => metas[name]));
  const micro = (name: string) => microdataOf(document, name);
  const link = (rel: string) => find(document, (element) => isLink(element, rel))?.attribs.href;
  const html = find(document, ({ name }) => name === 'html');
  const title = find(document, ({ name, parent }) => name === 'title' && !isIn(parent, 'svg'));
  const url = (text: string | undefined) => (text ? absolute(text) : undefined);
  const published = meta('article:published_time', 'date', 'dc.date');
  const images = [
    metas['og:image'],
    metas['og:image:url'],
    metas['twitter:image'],
    ...imagesOf(main.image),
    micro('image'),
  ];
  return present({
    title: first(meta('og:title', 'twitter:title'), title && rawText(title), textOf(main.headline)),
    description: first(
      meta('og:description', 'description', 'twitter:description'),
      textOf(main.description),
    ),
    language: first(html?.attribs.lang, html?.attribs['xml:lang'], meta('content-language', 'og:locale')),
    canonical: url(first(link('canonical'), metas['og:url'])),
    author: first(nameOf(main.author), meta('author', 'article:author'), micro('author')),
    published_at: dated(first(textOf(main.datePublished), published, micro('datePublished'))),
    site_name: first(meta('og:site_name', 'application-name'), nameOf(main.publisher)),
    // One of data is none that others could show.
    image: images.map((each) => url(first(each))).find((each) => each !== undefined),
    favicon: url(link('icon') ?? link('apple-touch-icon')),
    keywords: first(metas['keywords']),
    robots: first(metas['robots']),
    open_graph: openGraphOf(metas),
    feeds: feedsOf(document, absolute),
    json_ld: jsonLd,
    json_ld_omitted: omitted > 0 ? omitted : undefined,
  });
}

function isIn(parent: Element['parent'], name: string): boolean {
  return parent !== null && 'name' in parent && parent.name === name;
}

/** Whether an element is a `link` of this kind. */
export const isLink = ({ name, attribs }: Element, rel: string): boolean =>
  name === 'link' &&
  attribs.href !== undefined &&
  (attribs.rel ?? '').toLowerCase().split(/\s+/).includes(rel);

/** Without what is absent or empty. */
export function present<T extends object>(value: T): T {
  const entries = Object.entries(value).filter(
    ([, item]) => item !== undefined && !(Array.isArray(item) && item.length === 0),
  );
  return Object.fromEntries(entries) as T;
}

/** The first text that is more than white space, which is collapsed in it. */
export function first(...texts: readonly (string | undefined)[]): string | undefined {
  for (const text of texts) {
    const tidy = text?.replace(/\s+/g, ' ').trim();
    if (tidy) return tidy;
  }
  return undefined;
}

/** ISO 8601 for dates that name their time zone; others are not changed. */
export function dated(text: string | undefined): string | undefined {
  if (text === undefined || !/(?:Z|[+-]\d\d:?\d\d|GMT|UTC)$/i.test(text.trim())) return text;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : date.toISOString();
}

/** The content of `meta` elements by their names in lower case, of each the first. */
function metaTags(document: Document): Record<string, string | undefined> {
  const tags: Record<string, string> = {};
  for (const { attribs } of findAll(document, ({ name }) => name === 'meta')) {
    const name = (attribs.property ?? attribs.name ?? attribs['http-equiv'])?.toLowerCase();
    if (name !== undefined && attribs.content && !(name in tags)) tags[name] = attribs.content;
  }
  return tags;
}

/** The Open Graph properties by their names without the prefix: https://ogp.me. Undefined without any. */
function openGraphOf(
  metas: Readonly<Record<string, string | undefined>>,
): Record<string, string> | undefined {
  const found = Object.entries(metas).flatMap(([name, value]) =>
    name.startsWith(OPEN_GRAPH) && value ? [[name.slice(OPEN_GRAPH.length), value] as const] : [],
  );
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

const OPEN_GRAPH = 'og:';

/** The value of a microdata property: https://html.spec.whatwg.org/multipage/microdata.html#values */
function microdataOf(document: Document, name: string): string | undefined {
  const element = find(document, ({ attribs }) => attribs.itemprop === name);
  if (!element) return undefined;
  const { content, datetime, src, href } = element.attribs;
  return content ?? datetime ?? src ?? (element.name === 'link' ? href : rawText(element));
}

const FEEDS = /^application\/(?:rss|atom)\+xml$|^application\/feed\+json$/i;

/** The feeds that a page links to; undefined if it has none. */
function feedsOf(document: Document, absolute: (href: string) => string | undefined): Metadata['feeds'] {
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
