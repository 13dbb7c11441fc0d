import type { RenderRequest } from '../../../shared/contract/scrape/messages.ts';
import { isWeb } from '../../../shared/domain/scrape/target/target-url.ts';
import type { Fact } from './fact.ts';
import type { Pause } from './network.ts';

type Headers = RenderRequest['headers'];

/** The URL's origin, and the one after an upgrade to https. */
export function originsOf(url: string): string[] {
  const { origin, protocol, port } = new URL(url);
  return protocol === 'http:' && port === '' ? [origin, origin.replace('http', 'https')] : [origin];
}

/** Only the document and what it loads from its own origin carry the caller's headers. */
export function ownHeaders({ url, headers }: Pick<RenderRequest, 'url' | 'headers'>) {
  const origins = originsOf(url);
  const hasAny = Object.keys(headers).length > 0;
  const carriers = new Set<string>();
  let isHome = true;

  return {
    /** Drops the headers for good once the main frame requests another origin. */
    see: (fact: Fact): void => {
      if (fact.what !== 'requested' || !fact.isNavigation) return;
      const target = URL.parse(fact.url);
      if (isWeb(target) && !origins.includes(target.origin)) isHome = false;
    },
    /** A redirect carries them only if its first request did and it stays on the origin. */
    goWith({ requestId, redirectedRequestId, request }: Pause, isMainFrame: boolean): boolean {
      const isOwn = hasAny && isHome && isMainFrame && origins.includes(new URL(request.url).origin);
      if (!isOwn || (redirectedRequestId !== undefined && !carriers.has(redirectedRequestId))) return false;
      carriers.add(requestId);
      return true;
    },
    /** A Referer goes with the document only: what it loads names the document. */
    of: ({ resourceType }: Pause): Headers =>
      resourceType === 'Document'
        ? headers
        : Object.fromEntries(Object.entries(headers).filter(([name]) => !isReferer(name))),
    leaves: (from: string, location: string): boolean =>
      Object.keys(headers).some(isReferer) &&
      origins.includes(new URL(from).origin) &&
      !origins.includes(URL.parse(location, from)?.origin ?? ''),
  };
}

const isReferer = (name: string) => name.toLowerCase() === 'referer';

/** Chrome's order. The network stack appends the rest. */
const CHROMES_ORDER = [
  'cache-control',
  'sec-ch-ua',
  'sec-ch-ua-mobile',
  'sec-ch-ua-platform',
  'origin',
  'content-type',
  'upgrade-insecure-requests',
  'user-agent',
  'accept-language',
  'accept',
];

/** Chromium's headers in Chrome's order, overridden by the caller's, then the caller's others. */
export function withOwn(sent: Headers, own: Headers): { name: string; value: string }[] {
  const all = new Map<string, { name: string; value: string }>();
  for (const [name, value] of Object.entries(sent)) all.set(name.toLowerCase(), { name, value });
  for (const [name, value] of Object.entries(own))
    all.set(name.toLowerCase(), { name: all.get(name.toLowerCase())?.name ?? name, value });
  const known = CHROMES_ORDER.flatMap((name) => all.get(name) ?? []);
  return [...known, ...[...all.values()].filter((header) => !known.includes(header))];
}
