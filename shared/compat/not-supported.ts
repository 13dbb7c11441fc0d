/** What is there instead of a part of `/v2` that this service lacks. The first that begins the path holds. */
const INSTEAD: readonly (readonly [prefix: string, text: string])[] = [
  ['/v2/crawl/params-preview', 'Send includePaths, excludePaths and limit to POST /v2/crawl.'],
  ['/v2/monitor', 'Compare pages with the format changeTracking of POST /v2/scrape.'],
  ['/v2/browser', 'Act on a page with actions of POST /v2/scrape.'],
  ['/v2/scrape/', 'Act on a page with actions of POST /v2/scrape.'],
  ['/v2/team/', 'GET /v2/team/credit-usage has the credits, GET /api/v1/account/usage the days.'],
];

const KNOWN = 'There are POST /v2/scrape, /v2/parse, /v2/map, /v2/crawl, /v2/batch/scrape and /v2/extract.';

/** Says that a path of `/v2` is missing here, and what to call. */
export function notSupported(path: string): string {
  const [, instead = KNOWN] = INSTEAD.find(([prefix]) => path.startsWith(prefix)) ?? [];
  return `${path.slice(0, 100)} is not supported here. ${instead}`;
}
