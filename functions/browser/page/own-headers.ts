import type { RenderRequest } from '../../../shared/contract/messages.ts';
import { isWeb } from '../../../shared/domain/target/target-url.ts';
import type { Fact, Pause } from './network.ts';

type Headers = RenderRequest['headers'];

/** The origin of a URL, and the one that it becomes when its site moves it to TLS. */
export function homesOf(url: string): string[] {
  const { origin, protocol, port } = new URL(url);
  return protocol === 'http:' && port === '' ? [origin, origin.replace('http', 'https')] : [origin];
}

/** Follows where the caller's headers may go: with the document, and with what it loads from its own origin. */
export function ownHeaders({ url, headers }: Pick<RenderRequest, 'url' | 'headers'>) {
  const homes = homesOf(url);
  const hasAny = Object.keys(headers).length > 0;
  /** Ids of the pauses that took them along. */
  const carriers = new Set<string>();
  let isHome = true;

  return {
    /** Once the main frame has asked another origin for a document, they are gone for good. */
    see: (fact: Fact): void => {
      if (fact.what !== 'requested' || !fact.isMove) return;
      const target = URL.parse(fact.url);
      if (isWeb(target) && !homes.includes(target.origin)) isHome = false;
    },
    /** Whether they go along. A redirect takes them on only where it began and stayed at home. */
    goWith({ requestId, redirectedRequestId, request }: Pause, isMainFrame: boolean): boolean {
      const isOwn = hasAny && isHome && isMainFrame && homes.includes(new URL(request.url).origin);
      if (!isOwn || (redirectedRequestId !== undefined && !carriers.has(redirectedRequestId))) return false;
      carriers.add(requestId);
      return true;
    },
    /** What goes along: a Referer with the document alone. What that loads names the document. */
    of: ({ resourceType }: Pause): Headers =>
      resourceType === 'Document'
        ? headers
        : Object.fromEntries(Object.entries(headers).filter(([name]) => !isReferer(name))),
    /** Whether a redirect leads away with a Referer of the caller's, which Chromium would take along. */
    leaves: (from: string, location: string): boolean =>
      Object.keys(headers).some(isReferer) &&
      homes.includes(new URL(from).origin) &&
      !homes.includes(URL.parse(location, from)?.origin ?? ''),
  };
}

const isReferer = (name: string) => name.toLowerCase() === 'referer';

/** As Chrome writes them, whatever the order in which Chromium reports them. Its network adds the rest behind. */
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

/** Those that Chromium sends, in Chrome's order, with the caller's in place of its own, and the others behind. */
export function withOwn(sent: Headers, own: Headers): { name: string; value: string }[] {
  const all = new Map<string, { name: string; value: string }>();
  for (const [name, value] of Object.entries(sent)) all.set(name.toLowerCase(), { name, value });
  for (const [name, value] of Object.entries(own))
    all.set(name.toLowerCase(), { name: all.get(name.toLowerCase())?.name ?? name, value });
  const known = CHROMES_ORDER.flatMap((name) => all.get(name) ?? []);
  return [...known, ...[...all.values()].filter((header) => !known.includes(header))];
}
