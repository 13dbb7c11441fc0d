import type { QueryRule } from '../../contract/crawls/query-rule.ts';
import { normalizedEscapes } from '../scrape/target/normalized-escapes.ts';

/** Parameters that lead to the same page with or without them: of campaigns, clicks and sessions. */
export const DROPPED_PARAMETERS: readonly string[] = [
  ...['utm_*', 'gclid', 'gclsrc', 'dclid', 'gbraid', 'wbraid', '_ga', '_gl', 'fbclid', 'msclkid', 'yclid'],
  ...['twclid', 'ttclid', 'li_fat_id', 'igshid', 'mc_cid', 'mc_eid', 'mkt_tok', 'vero_id', 'wickedid'],
  ...['_hsenc', '_hsmi', 'oly_anon_id', 'oly_enc_id'],
  ...['jsessionid', 'phpsessid', 'aspsessionid*', 'sessionid', 'session_id', 'cfid', 'cftoken'],
];

type IdentityRule = {
  query: QueryRule;
  /** Origins that a redirect has proved to be one site, each with the origin that it counts as. */
  sameAs?: ReadonlyMap<string, string>;
};

/**
 * The key of a URL, equal for two spellings of one page: without fragment, default port, empty query and
 * dropped parameters, with the rest sorted. Case and a trailing slash stay. Only for comparison: requests use
 * the first spelling.
 */
export function urlIdentity({ query, sameAs }: IdentityRule): (url: URL) => string {
  const isDropped = droppedBy(query);
  return (url) => {
    const origin = sameAs?.get(url.origin) ?? url.origin;
    const path = withoutSessions(normalizedEscapes(url.pathname), isDropped);
    const kept = query === 'ignore' ? [] : keptParameters(normalizedEscapes(url.search.slice(1)), isDropped);
    return `${origin}${path}${kept.length > 0 ? '?' : ''}${kept.join('&')}`;
  };
}

type IsDropped = (name: string) => boolean;

function droppedBy(query: QueryRule): IsDropped {
  if (query === 'keep') return () => false;
  const names = (query === 'ignore' ? DROPPED_PARAMETERS : query.drop).map((each) => each.toLowerCase());
  const whole = new Set(names);
  const starts = names.filter((each) => each.endsWith('*')).map((each) => each.slice(0, -1));
  return (sent) => {
    const name = sent.toLowerCase();
    return whole.has(name) || starts.some((start) => name.startsWith(start));
  };
}

const nameOf = (parameter: string) => parameter.split('=', 1)[0] ?? '';

function keptParameters(search: string, isDropped: IsDropped): string[] {
  if (search === '') return [];
  const kept = search.split('&').filter((each) => each !== '' && !isDropped(nameOf(each)));
  // Stable: the order of values of one name may matter.
  return kept.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : Number(nameOf(a) > nameOf(b))));
}

/** Java puts the session behind a path: `/cart;jsessionid=1`. */
function withoutSessions(path: string, isDropped: IsDropped): string {
  if (!path.includes(';')) return path;
  const segments = path.split('/').map((segment) => {
    const [name = '', ...parameters] = segment.split(';');
    return [name, ...parameters.filter((each) => !isDropped(nameOf(each)))].join(';');
  });
  return segments.join('/');
}
