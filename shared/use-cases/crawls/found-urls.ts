import type {
  Incomplete,
  LeftOut,
  MappedUrl,
  MapRequest,
  MapSource,
  MapSummary,
} from '../../contract/crawls/map.ts';
import { MAX_PAGE_BYTES } from '../../contract/scrape/page.ts';
import { leftOut, type SiteRules } from '../../domain/crawls/outcome.ts';
import { bestFirst, hasWords, wordsOf } from '../../domain/crawls/search.ts';
import { DROPPED_PARAMETERS, urlIdentity } from '../../domain/crawls/url-identity.ts';

/** A URL as a source has it. */
export type FoundUrl = {
  url: URL;
  source: MapSource['type'];
  lastmod?: string | undefined;
  title?: string | undefined;
};

type AskRobots = (url: URL) => Promise<boolean>;

/** The URLs of a site that were found so far, each once, and what was read for them. */
export type FoundUrls = {
  /** The URL, if it is new and wanted. `isAllowed`: by robots.txt; only called for URLs of the site. */
  add: (found: FoundUrl, rules: SiteRules, isAllowed: AskRobots) => Promise<MappedUrl | undefined>;
  /** Notes a source, up to 2,000; more may become known of it while it is read. */
  read: (source: MapSource) => MapSource;
  /** Ends the reading. The first reason counts. */
  stop: (why: Incomplete) => void;
  isStopped: () => boolean;
  /** Notes that something is not read, without an end of the reading. */
  miss: (why: Incomplete) => void;
  /** Has two origins count as one, as a redirect has proved. */
  fold: (from: URL, to: URL) => void;
  /** What `search` found, the best first. */
  best: () => MappedUrl[];
  summary: () => MapSummary;
};

/** With `search`, more are kept than are returned. */
const MAX_KEPT = 100_000;
const MAX_TITLE = 300;
const MAX_SOURCES = 2_000;
/** Of a URL in JSON, beside itself and its title. */
const OTHER_BYTES = 80;

type State = {
  entries: Map<string, MappedUrl>;
  words: readonly string[];
  keyOf: (url: URL) => string;
  robots: MapRequest['robots'];
  most: number;
  bytes: number;
  counts: Partial<Record<LeftOut, number>>;
  stopped?: Incomplete;
  missed?: Incomplete;
};

export function foundUrls({ query, robots, search = '', limit }: MapRequest): FoundUrls {
  const [sources, sameAs, words] = [[] as MapSource[], new Map<string, string>(), wordsOf(search)];
  const state: State = {
    entries: new Map(),
    words,
    keyOf: urlIdentity({ query: query ?? { drop: [...DROPPED_PARAMETERS] }, sameAs }),
    robots,
    most: words.length > 0 ? MAX_KEPT : limit,
    bytes: 0,
    counts: {},
  };
  return {
    add: (found, rules, isAllowed) => add(state, found, rules, isAllowed),
    read: (source) => {
      if (sources.length < MAX_SOURCES) sources.push(source);
      else state.missed ??= 'source';
      return source;
    },
    stop: (why) => void (state.stopped ??= why),
    isStopped: () => state.stopped !== undefined,
    miss: (why) => void (state.missed ??= why),
    fold: (from, to) => void sameAs.set(from.origin, to.origin),
    best: () => bestFirst([...state.entries.values()], words).slice(0, limit),
    summary: () => {
      const { size: total } = state.entries;
      if (total > limit) state.stopped ??= 'limit';
      const why = reasonOf(state, sources);
      const complete = why === undefined;
      return { total, complete, ...(why && { incomplete_because: why }), left_out: state.counts, sources };
    },
  };
}

/** Facts of a URL that several sources have are joined. */
async function add(
  state: State,
  { url, source, ...given }: FoundUrl,
  rules: SiteRules,
  isAllowed: AskRobots,
): Promise<MappedUrl | undefined> {
  const { entries, keyOf, robots, words, counts } = state;
  if (url.hash !== '') url.hash = '';
  const facts = factsOf(given);
  const key = keyOf(url);
  const known = entries.get(key);
  if (known) Object.assign(known, { ...facts, ...known });
  if (known) return undefined;
  const other = leftOut(url, rules);
  const isDisallowed = !other && robots !== 'ignore' && !(await isAllowed(url));
  const why = other ?? (isDisallowed && robots === 'obey' ? 'robots' : undefined);
  if (why) counts[why] = (counts[why] ?? 0) + 1;
  if (why) return undefined;
  const entry = { url: url.href, source, ...facts, ...(isDisallowed && { disallowed: true as const }) };
  return words.length === 0 || hasWords(entry, words) ? keep(state, key, entry) : undefined;
}

function keep(state: State, key: string, entry: MappedUrl): MappedUrl | undefined {
  const { entries, most } = state;
  state.bytes += Buffer.byteLength(entry.url) + Buffer.byteLength(entry.title ?? '') + OTHER_BYTES;
  if (entries.size >= most) state.stopped ??= 'limit';
  if (state.bytes > MAX_PAGE_BYTES) state.stopped ??= 'size';
  if (state.stopped) return undefined;
  entries.set(key, entry);
  return entry;
}

function factsOf({ lastmod, title: whole }: Pick<FoundUrl, 'lastmod' | 'title'>) {
  const title = whole?.slice(0, MAX_TITLE).trim();
  return { ...(lastmod && { lastmod }), ...(title && { title }) };
}

function reasonOf({ stopped, missed }: State, sources: readonly MapSource[]): Incomplete | undefined {
  if (stopped === 'timeout') return stopped;
  // Nothing came, so what is not there proves nothing.
  if (sources.every(({ status }) => status === undefined)) return 'unreachable';
  return stopped ?? missed ?? faultIn(sources);
}

function faultIn(sources: readonly MapSource[]): Incomplete | undefined {
  const faulty = sources.filter(({ error }) => error !== undefined);
  if (faulty.some(({ type, error }) => type === 'robots' || error === 'robots')) return 'robots';
  return faulty.length > 0 ? 'source' : undefined;
}
