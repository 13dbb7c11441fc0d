import type { MapSource } from '../../contract/crawls/map.ts';
import type { Converted } from '../../contract/scrape/output.ts';
import { bareHost } from '../../domain/crawls/scope.ts';
import { AppError, toAppError } from '../../errors.ts';
import type { Judged } from '../scrape/judged-page.ts';
import { fetchFile, isForbidden } from './fetch-file.ts';
import type { FoundUrl } from './found-urls.ts';
import type { FileTask } from './read-files.ts';
import type { Site } from './site.ts';

/** What the page of a request leads to. */
export type Seed = {
  /** Where the page is after redirects. What belongs to the site follows from it. */
  home: URL;
  urls: FoundUrl[];
  feeds: FileTask[];
  /** A page that is a sitemap or feed itself. */
  file?: Judged;
};

const MAX_FEEDS = 10;

const FEEDS = ['rss', 'atom']
  .map((type) => `link[rel~="alternate"][type="application/${type}+xml"]`)
  .join(', ');

/** Reads the page: itself, its links and feeds. Throws `url_not_allowed` if its host may not be scraped. */
export async function readSeed(site: Site, url: URL): Promise<Seed> {
  const { fx, context, found, request, robots } = site;
  const nothing = { home: url, urls: [], feeds: [] };
  const source = found.read({ url: url.href, type: 'page' });
  const isObeyed = request.robots === 'obey';
  const refused = () => {
    source.error = 'robots';
    return nothing;
  };
  if (isObeyed && !(await robots.isAllowed(url))) return refused();
  const page = await fetchFile(fx, url.href, context);
  if (page instanceof AppError) {
    if (isForbidden(page)) throw page;
    source.error = page.code;
    return nothing;
  }
  const home = new URL(page.url);
  Object.assign(source, { url: page.url, status: page.status, ...faultOf(page) });
  if (bareHost(home) === bareHost(url)) found.fold(url, home);
  if (isObeyed && !(await robots.isAllowed(home))) return refused();
  if (source.error === 'status' || source.error === 'bot_wall') return { ...nothing, home };
  if (/xml|text\/plain/i.test(page.contentType ?? '') && !/xhtml/i.test(page.contentType ?? ''))
    return { ...nothing, home, file: page };
  return { home, ...(await leadsOf(site, page, source)) };
}

function faultOf({ status, verdict }: Judged): Pick<MapSource, 'error'> {
  if (verdict.kind === 'bot_wall') return { error: verdict.kind };
  if (status >= 300) return { error: 'status' };
  return verdict.kind === 'page' ? {} : { error: verdict.kind };
}

async function leadsOf(
  { fx, context }: Site,
  page: Judged,
  source: MapSource,
): Promise<Pick<Seed, 'urls' | 'feeds'>> {
  const { body, contentType, url } = page;
  const rules = { feeds: { selector: `${FEEDS}@href`, type: 'list', output: 'url' } } as const;
  const outputs = ['links', 'metadata', 'extract'] as const;
  const own: FoundUrl = { url: new URL(url), source: 'page' };
  try {
    const conversion = { body, contentType, url, outputs, scope: 'full', rules, isRendered: false } as const;
    const { links = [], metadata = {}, extract = {} } = await fx.convert(conversion, context);
    const urls = [
      { ...own, title: metadata.title },
      ...links.flatMap(({ url: to, text }) => linked(to, text)),
    ];
    source.urls = urls.length;
    return { urls, feeds: feedsIn(extract) };
  } catch (fault) {
    // A picture or a document has no links.
    if (toAppError(fault).code !== 'not_convertible') throw fault;
    source.urls = 1;
    return { urls: [own], feeds: [] };
  }
}

function linked(to: string, title: string): FoundUrl[] {
  const url = URL.parse(to);
  return url && /^https?:$/.test(url.protocol) ? [{ url, source: 'page', title }] : [];
}

function feedsIn({ feeds }: NonNullable<Converted['extract']>): FileTask[] {
  const urls = Array.isArray(feeds) ? feeds.slice(0, MAX_FEEDS) : [];
  return urls.flatMap((each) => {
    const url = typeof each === 'string' ? URL.parse(each) : null;
    return url ? [{ url, type: 'feed', depth: 0 } as const] : [];
  });
}
