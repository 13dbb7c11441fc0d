import { type Batches, batchesOf } from './batches.ts';
import { answerOf, type Answer } from './answer.ts';
import { entriesOf, get, remove } from './calls.ts';
import { type Crawls, crawlsOf } from './crawls.ts';
import { type Jobs, jobsOf } from './jobs.ts';
import { Page } from './page.ts';
import { type CallOptions, type Options, type Transport, transportOf } from './transport.ts';
import type {
  Account,
  ActivityLine,
  ActivityQuery,
  MapRequest,
  ScrapeRequest,
  SiteMap,
  Usage,
  UsageQuery,
} from './types.ts';
import { type Webhooks, webhooksOf } from './webhooks.ts';

export type { Answer } from './answer.ts';
export type { Batches, Lines, ResultOptions } from './batches.ts';
export type { SubmitOptions } from './calls.ts';
export type { Crawls } from './crawls.ts';
export type { Jobs, PartOptions } from './jobs.ts';
export { type Credits, Page } from './page.ts';
export { SitefetchError, type SitefetchErrorCode } from './sitefetch-error.ts';
export type { CallOptions, Fetch, Options } from './transport.ts';
export type * from './types.ts';
export { verifyWebhook, type VerifyOptions, type WebhookHeaders } from './verify-webhook.ts';
export type { Webhooks } from './webhooks.ts';

/** Limits, credits and what was done with them. */
export type AccountCalls = ReturnType<typeof accountOf>;

/** The API of a Sitefetch service. Every call rejects with a `SitefetchError`. */
export class Sitefetch {
  readonly jobs: Jobs;
  readonly batches: Batches;
  readonly crawls: Crawls;
  readonly webhooks: Webhooks;
  readonly account: AccountCalls;
  readonly #transport: Transport;

  constructor(options: Options) {
    this.#transport = transportOf(options);
    this.jobs = jobsOf(this.#transport);
    this.batches = batchesOf(this.#transport);
    this.crawls = crawlsOf(this.#transport);
    this.webhooks = webhooksOf(this.#transport);
    this.account = accountOf(this.#transport);
  }

  /**
   * Fetches a page at once. It may be charged even if the connection is lost, so only a refusal is repeated;
   * `jobs.run` has no such gap.
   */
  async scrape(request: ScrapeRequest, options?: CallOptions): Promise<Page> {
    return new Page(await this.#post('/api/v1/scraper', request, options));
  }

  /** The URLs of a site, without requesting its pages. */
  async map(request: MapRequest, options?: CallOptions): Promise<Answer<SiteMap>> {
    return answerOf<SiteMap>(await this.#post('/api/v1/map', request, options));
  }

  /** Forgets every kept page of a URL. */
  forgetPages(url: string, options?: CallOptions): Promise<void> {
    return remove(this.#transport, '/api/v1/cache', { ...options, query: { url } });
  }

  #post(to: string, body: object, options?: CallOptions) {
    return this.#transport.send({ ...options, method: 'POST', to, body, isRepeatable: false });
  }
}

function accountOf(transport: Transport) {
  return {
    get: (options?: CallOptions) => get<Account>(transport, '/api/v1/account', options),
    usage: (query: UsageQuery = {}, options?: CallOptions) =>
      get<Usage>(transport, '/api/v1/account/usage', { ...options, query }),
    activity: (query: ActivityQuery = {}, options?: CallOptions) =>
      entriesOf<ActivityLine>(transport, '/api/v1/account/activity', { ...options, query }),
  };
}
