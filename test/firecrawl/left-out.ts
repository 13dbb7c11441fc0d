const MODEL = 'needs a language model';
const SEARCH = 'needs a search engine';
const SOCKET = 'needs a WebSocket, which the API has not: without one the SDK polls';

/** Cases of the SDK's tests that this service does not pass, and why. All others must pass. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  'v2.scrape e2e maximal: scrape with all options': MODEL,
  'v2.scrape e2e json format with zod schema (auto-converted internally)': MODEL,
  'v2.scrape e2e summary format returns summary string': MODEL,
  'v2.batch e2e wait batch with all params': MODEL,
  'v2.crawl e2e start crawl with prompt': MODEL,
  'v2.crawl e2e crawl with prompt and wait': MODEL,
  'v2.crawl e2e crawl with json format object': MODEL,
  'v2.crawl e2e crawl all parameters': MODEL,
  'v2.crawl e2e crawl params preview': MODEL,
  'v2.extract e2e extract minimal with prompt': MODEL,
  'v2.extract e2e extract with schema': MODEL,
  'v2.extract e2e extract with zod schema': MODEL,
  'v2.search e2e minimal request': SEARCH,
  'v2.search e2e with sources web+news and limit': SEARCH,
  'v2.search e2e result structure': SEARCH,
  'v2.search e2e all parameters (comprehensive)': SEARCH,
  'v2.search e2e formats flexibility: list vs object': SEARCH,
  'v2.search e2e with json format object': SEARCH,
  'v2.search e2e with summary format, documents include summary when present': SEARCH,
  'v2.watcher e2e crawl watcher minimal': SOCKET,
  'v2.watcher e2e batch watcher with options (kind, pollInterval, timeout)': SOCKET,
};

export const CASES = 55;
