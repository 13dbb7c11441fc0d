import type { Handler } from 'htmlparser2';
import { readLastmod } from './lastmod.ts';

export type SitemapKind = 'sitemap' | 'feed';

/** What a file leads to: a page, or another sitemap. */
export type SitemapEntry = {
  url: URL;
  isSitemap: boolean;
  lastmod?: string | undefined;
  title?: string | undefined;
};

const KINDS: ReadonlyMap<string, SitemapKind> = new Map([
  ['urlset', 'sitemap'],
  ['sitemapindex', 'sitemap'],
  ['rss', 'feed'],
  ['rdf', 'feed'],
  ['feed', 'feed'],
]);
/** Entries, each with the element around it: in RSS a picture may have an `url` too. */
const ENTRIES: ReadonlySet<string> = new Set([
  ...['urlset url', 'urlset sitemap', 'sitemapindex sitemap', 'sitemapindex url'],
  ...['channel item', 'rss item', 'rdf item', 'feed entry'],
]);
/** Deeper than any sitemap; the parser keeps a list of all open elements. */
const MAX_OPEN = 64;
const MAX_TEXT = 8_192;

/** The text of these elements, by their parent, is a fact of their entry. The first one counts. */
const FACTS: ReadonlyMap<string, 'loc' | 'guid' | 'lastmod' | 'title'> = new Map([
  ...['url loc', 'sitemap loc', 'item link', 'entry link'].map((place) => [place, 'loc'] as const),
  ['item guid', 'guid'],
  ...['url lastmod', 'sitemap lastmod', 'item pubdate', 'item date', 'entry updated', 'entry published'].map(
    (place) => [place, 'lastmod'] as const,
  ),
  ...['item title', 'entry title', 'news title'].map((place) => [place, 'title'] as const),
]);

type Fact = 'loc' | 'guid' | 'lastmod' | 'title';
type Facts = Partial<Record<Fact, string>>;
/** An open element. `base`: what its relative URLs are relative to. */
type Open = { name: string; base: string; isEntry: boolean; fact: Fact | undefined; text: string };

type SitemapHandler = Partial<Handler> & {
  kind: () => SitemapKind | undefined;
  /** Entries that have ended since the last call. */
  take: () => SitemapEntry[];
  /** Whether it is no file of such a kind. */
  isOther: () => boolean;
  /** Whether it ended before its root element did. */
  isCut: () => boolean;
};

/** Takes from the events of an XML parser what the file at `base` leads to. */
export function sitemapHandler(base: string): SitemapHandler {
  const open: Open[] = [];
  const found: SitemapEntry[] = [];
  let facts: Facts = {};
  let kind: SitemapKind | undefined;
  let [isOther, isCut] = [false, false];
  return {
    onopentag(sent, attributes) {
      const name = localName(sent);
      const parent = open.at(-1);
      if (parent === undefined) kind ??= KINDS.get(name);
      isOther ||= kind === undefined || open.length >= MAX_OPEN;
      if (isOther) return;
      const isEntry = ENTRIES.has(`${parent?.name} ${name}`);
      if (isEntry) facts = {};
      const inside = URL.parse(attributes['xml:base'] ?? '', parent?.base ?? base)?.href ?? base;
      const fact = factOf(name, parent, attributes, facts);
      open.push({ name, base: inside, isEntry, fact, text: '' });
    },
    ontext(text) {
      const last = open.at(-1);
      if (last?.fact && last.text.length < MAX_TEXT) last.text += text.slice(0, MAX_TEXT);
    },
    onclosetag(_, isImplied) {
      const closed = open.pop();
      if (closed === undefined) return;
      if (isImplied && open.length === 0) isCut = true;
      // The text of an element that was cut off may be half a URL.
      if (closed.fact && !isImplied) facts[closed.fact] ??= absolute(closed);
      if (!closed.isEntry) return;
      const entry = entryOf(closed, facts);
      if (entry) found.push(entry);
      facts = {};
    },
    kind: () => kind,
    take: () => found.splice(0),
    isOther: () => isOther,
    isCut: () => isCut,
  };
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1).toLowerCase();

/** Atom's links are attributes, which it may have several of: https://www.rfc-editor.org/rfc/rfc4287#section-4.2.7 */
function factOf(
  name: string,
  parent: Open | undefined,
  { href, rel = 'alternate', isPermaLink = 'true' }: Record<string, string>,
  facts: Facts,
): Fact | undefined {
  const fact = FACTS.get(`${parent?.name} ${name}`);
  if (fact === 'guid' && isPermaLink.toLowerCase() === 'false') return undefined;
  if (fact !== 'loc' || href === undefined) return fact;
  if (parent && rel === 'alternate') facts.loc ??= URL.parse(href.trim(), parent.base)?.href ?? '';
  return undefined;
}

function absolute({ fact, text, base }: Open): string {
  const isUrl = fact === 'loc' || (fact === 'guid' && /^\s*https?:\/\//i.test(text));
  return isUrl ? (URL.parse(text.trim(), base)?.href ?? '') : text.replace(/\s+/g, ' ').trim();
}

function entryOf({ name }: Open, { loc, guid, lastmod, title }: Facts): SitemapEntry | undefined {
  const url = URL.parse(loc || guid || '');
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  return {
    url,
    isSitemap: name === 'sitemap',
    ...(lastmod && { lastmod: readLastmod(lastmod) }),
    ...(title && { title: withoutMarkup(title) }),
  };
}

/** Feeds have HTML in their titles. */
const withoutMarkup = (title: string) => title.replace(/<[^<>]*>/g, '').trim();
