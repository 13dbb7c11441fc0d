import type { Manifest } from '../../contract/crawls/manifest.ts';
import type { QueryRule } from '../../contract/crawls/query-rule.ts';
import { bareHost } from './scope.ts';
import { fingerprint } from './sorted-table.ts';
import { DROPPED_PARAMETERS, urlIdentity } from './url-identity.ts';

type SameAs = Manifest['sameAs'];

export type SiteIdentity = {
  /** The fingerprint under which a URL is noted. */
  keyOf: (url: URL) => bigint;
  /** The same as long as no redirect has proved that its origin and another one are one site. */
  exactOf: (url: URL) => bigint;
  /** All under which it may have been noted, before redirects and since. */
  keysOf: (url: URL) => bigint[];
};

export function siteIdentity(query: QueryRule | undefined, sameAs: SameAs): SiteIdentity {
  const roots = new Map(sameAs);
  const others = Map.groupBy(sameAs, ([, root]) => root);
  const exact = urlIdentity({ query: query ?? { drop: [...DROPPED_PARAMETERS] } });
  const rootOf = ({ origin }: URL) => roots.get(origin) ?? origin;
  const at = (origin: string, url: URL) => origin + exact(url).slice(url.origin.length);
  return {
    keyOf: (url) => fingerprint(at(rootOf(url), url)),
    exactOf: (url) => fingerprint(exact(url)),
    keysOf: (url) => {
      const origins = (others.get(rootOf(url)) ?? []).map(([origin]) => origin);
      return [rootOf(url), ...origins].map((origin) => fingerprint(at(origin, url)));
    },
  };
}

/** With what a redirect proves: that http and https, or a host with and without `www.`, are one site. */
export function folded(query: QueryRule | undefined, sameAs: SameAs, from: URL, to: URL): SameAs {
  const rootOf = (url: URL) => new Map(sameAs).get(url.origin) ?? url.origin;
  const [before, root] = [rootOf(from), rootOf(to)];
  if (before === root || bareHost(from) !== bareHost(to)) return sameAs;
  const identity = urlIdentity({ query: query ?? { drop: [...DROPPED_PARAMETERS] } });
  const pathOf = (url: URL) => identity(url).slice(url.origin.length);
  if (pathOf(from) !== pathOf(to)) return sameAs;
  const moved = sameAs.map(([origin, each]): SameAs[number] => [origin, each === before ? root : each]);
  return [...moved, [before, root]];
}
