import { MAX_ROBOTS_BYTES, type Robots, robotsOf } from '../../domain/crawls/robots.ts';
import { bareHost } from '../../domain/crawls/scope.ts';
import { AppError } from '../../errors.ts';
import type { ScrapeContext } from '../../ports/scrape.ts';
import { fetchFile, type FetchNeeds, isForbidden } from './fetch-file.ts';
import type { FoundUrls } from './found-urls.ts';

/**
 * The robots.txt of hosts, each read once. All spellings of a host have one. Throws `url_not_allowed` if the
 * host of the request may not be scraped; others count as unreachable then.
 */
export type RobotsReader = {
  of: (url: URL) => Promise<Robots>;
  isAllowed: (url: URL) => Promise<boolean>;
};

/** Hosts of a domain whose robots.txt is read; URLs of further hosts count as disallowed. */
const MAX_HOSTS = 20;

type Options = {
  found: FoundUrls;
  context: ScrapeContext;
  /** The page of the request. */
  seed: URL;
  /** The crawler's name. */
  token: string;
};

/** Too many redirects count as this. */
const NOT_FOUND = { status: 404, redirects: 0, body: new Uint8Array() };

export function robotsReader(fx: FetchNeeds, { found, context, seed, token }: Options): RobotsReader {
  const files = new Map<string, Promise<Robots>>();
  let further: Robots | undefined;

  async function read(url: URL): Promise<Robots> {
    const source = found.read({ url: `${url.origin}/robots.txt`, type: 'robots' });
    const file = await fetchFile(fx, source.url, { ...context, maxBytes: MAX_ROBOTS_BYTES });
    if (!(file instanceof AppError)) {
      const { status } = file;
      Object.assign(source, { url: file.url, status, ...(status >= 500 && { error: 'status' }) });
      return robotsOf(file, token);
    }
    if (isForbidden(file) && bareHost(url) === bareHost(seed)) throw file;
    source.error = file.code;
    return robotsOf(file.code === 'too_many_redirects' ? NOT_FOUND : undefined, token);
  }

  function tooMany({ origin }: URL): Robots {
    found.read({ url: `${origin}/robots.txt`, type: 'robots', error: 'too_many_hosts' });
    return robotsOf(undefined, token);
  }

  async function of(url: URL): Promise<Robots> {
    const host = bareHost(url);
    const known = files.get(host);
    if (known) return known;
    if (files.size >= MAX_HOSTS) return (further ??= tooMany(url));
    const file = read(url);
    files.set(host, file);
    return file;
  }
  return { of, isAllowed: async (url) => (await of(url)).isAllowed(url.href) };
}
