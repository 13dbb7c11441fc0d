import type { Conversion, Converted } from '../contract/scrape/output.ts';
import type { ModelTokens, Question, Reading, ValueSchema } from '../contract/scrape/extraction.ts';
import type { Kind } from '../contract/scrape/mode.ts';
import type { CachedPage } from '../contract/scrape/cached-page.ts';
import type { Page } from '../contract/scrape/page.ts';
import type { ScrapeRequest } from '../contract/scrape/scrape-request.ts';
import type { CacheKey } from '../domain/scrape/cache/cache-key.ts';
import type { Message } from '../domain/scrape/extraction/prompt.ts';
import type { RequestLog } from '../observe/request-log.ts';

export type ScrapeEffects = {
  fetchPage: GetPage;
  renderPage: GetPage;
  convert: Convert;
  readValues: ReadValues;
  ladderMemory: LadderMemory;
  pageCache: PageCache;
};

/** Which rung of `mode` brought the page of a host last, for an organization. */
export type LadderMemory = {
  /** Undefined a day after it was kept. */
  find: (orgId: string, host: string, now: Date) => Promise<Kind | undefined>;
  keep: (orgId: string, host: string, rung: Kind, now: Date) => Promise<void>;
};

/** Pages that organizations have fetched, for repeats. Their bytes are among the results. */
export type PageCache = {
  /** For so many days a page is kept. 0: none is. */
  days: number;
  find: (key: CacheKey, now: Date) => Promise<CachedPage | undefined>;
  /** Creates or overwrites, in one write. */
  keep: (key: CacheKey, page: CachedPage) => Promise<void>;
  /** Notes that a page is current, unless it was forgotten or replaced meanwhile. */
  renew: (key: CacheKey, page: CachedPage) => Promise<void>;
  /** Forgets all pages of a URL. Returns where their bytes are. */
  forget: (url: Pick<CacheKey, 'orgId' | 'urlHash'>) => Promise<string[]>;
};

/** Throws an AppError: the failure's code, `timeout` when the signal aborts, or the signal's reason. */
export type GetPage = (request: ScrapeRequest, context: ScrapeContext) => Promise<Page>;

/** Organizations take turns. Throws `not_convertible` if a page has no such parts, or the signal's reason. */
export type Convert = (
  page: Conversion,
  context: Pick<ScrapeContext, 'orgId' | 'signal'>,
) => Promise<Converted>;

/**
 * What a model reads from a page. Throws `extraction_invalid`, `model_failed`, `timeout`, or the signal's
 * reason; `model_not_configured` if there is no model.
 */
export type ReadValues = (
  question: Question,
  context: Pick<ScrapeContext, 'requestId' | 'signal' | 'deadlineAt' | 'requestLog'>,
) => Promise<Reading>;

/** What a model wrote. */
export type Completion = {
  text: string;
  /** It had to stop before its end. */
  isCut: boolean;
  /** It, or a filter of its maker, did not want to answer. */
  isRefusal: boolean;
  tokens: ModelTokens;
};

/** Of the function that calls a model. */
export type ModelEffects = {
  /**
   * One call. Throws `model_failed`, with `retryAfter` if another one may work, or `timeout` once the signal
   * aborts.
   */
  complete: (
    messages: readonly Message[],
    options: { schema: ValueSchema; signal: AbortSignal },
  ) => Promise<Completion>;
  /** Does work that a caller's patterns may prolong. Throws `extraction_invalid` if it takes too long. */
  withinTime: <T>(work: () => T) => T;
};

/**
 * The upstream's URL with credentials: never log it. Undefined without premium_proxy. Throws
 * `premium_proxy_unavailable` if none is configured, `proxy_failed` if it cannot be read.
 */
export type PremiumProxy = (request: ScrapeRequest, context: ScrapeContext) => Promise<string | undefined>;

export type ScrapeContext = {
  /** Of the caller's request, which for a job ended long ago. */
  requestId: string;
  scrapeId: string;
  orgId: string;
  requestLog: RequestLog;
  signal: AbortSignal;
  /** The latest time at which `signal` aborts. */
  deadlineAt: Date;
  /** The same for each try of what may run twice. Absent: the request's. */
  workId?: string | undefined;
  /** The page is not what was requested, but the best that came. */
  isFallback?: boolean;
  /** Credits that are held for the scrape, which end the ladder of `mode`. Absent: enough. */
  heldCredits?: number | undefined;
  /** More that a long document may cost. Absent: none. */
  spareCredits?: number | undefined;
  /** Bytes after which a plain response is cut off. Absent: a response that is too large is a fault. */
  maxBytes?: number;
  /**
   * Whether robots.txt allows what a plain response redirects to. If not, `url_not_allowed` is thrown.
   * Absent: every redirect is followed.
   */
  mayFollow?: ((url: string) => Promise<boolean>) | undefined;
  /** Of work whose requests follow one another: connections stay open in between. Absent: they close. */
  connections?: AsyncDisposableStack;
};
