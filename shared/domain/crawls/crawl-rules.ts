import type { CrawlRequest } from '../../contract/crawls/crawl-request.ts';
import { globFilter } from './globs.ts';
import type { SiteRules } from './outcome.ts';
import { scopeOf } from './scope.ts';

/** Which URLs belong to a crawl, and which of them are wanted. */
export function crawlRules({ urls, scope, allowHosts, include, exclude }: CrawlRequest): SiteRules {
  const seeds = urls.map((url) => new URL(url));
  const scopes = scope === 'any' ? [] : seeds.map((seed) => scopeOf(scope, seed));
  const isAllowedHost = hostFilter(allowHosts);
  const own = new Set(seeds.map(({ href }) => href));
  return {
    isInScope: (url) => scopes.some((isIn) => isIn(url)) || isAllowedHost(url) || own.has(url.href),
    isWanted: globFilter(include, exclude),
  };
}

/** `*.` stands for at least one more label. A pattern without a port is for the usual ports. */
function hostFilter(patterns: readonly string[]): (url: URL) => boolean {
  const written = patterns.map((pattern) => {
    const isOpen = pattern.startsWith('*.');
    const { host } = new URL(`https://${isOpen ? pattern.slice(2) : pattern}`);
    return { isOpen, host };
  });
  return ({ host }) =>
    written.some((each) => (each.isOpen ? host.endsWith(`.${each.host}`) : host === each.host));
}

/** The host of a URL, with its port if that is not the usual one: what a robots.txt and a delay are for. */
export const hostOf = ({ host }: URL): string => host;
