import { type Answer, answerOf, pollAfterMs } from './answer.ts';
import type { ResultOptions } from './batches.ts';
import { change, entriesOf, get, linesOf, resultsOf, submit, type SubmitOptions } from './calls.ts';
import { pause } from './deadline.ts';
import { SitefetchError } from './sitefetch-error.ts';
import type { CallOptions, Transport } from './transport.ts';
import type {
  Crawl,
  CrawlRequest,
  CrawlResult,
  CrawlRetryRequest,
  CrawlUrl,
  CrawlUrlsQuery,
  ListedCrawl,
  SubmittedCrawl,
} from './types.ts';

export type Crawls = ReturnType<typeof crawlsOf>;

const PATH = '/api/v1/crawls';
const POLL_MS = 5_000;
/** Of an ended crawl that has no page because of them. */
const FAILURES = ['robots', 'unreachable', 'cancelled'];

/** The pages of a site, and what became of each of its URLs. */
export function crawlsOf(transport: Transport) {
  /**
   * Resolves once every URL has its outcome. Rejects if the crawl was cancelled, or could not begin: then
   * its pages to begin at did not respond, or the site's robots.txt disallows them.
   */
  async function wait(crawlId: string, options: CallOptions = {}): Promise<Answer<Crawl>> {
    for (;;) {
      const received = await transport.send({ ...options, to: `${PATH}/${crawlId}`, isRepeatable: true });
      const crawl = answerOf<Crawl>(received);
      if (FAILURES.includes(crawl.stop_reason ?? '')) throw failed(crawl);
      if (crawl.completed_at !== undefined) return crawl;
      await pause(pollAfterMs(received.headers, POLL_MS), options.signal);
    }
  }

  return {
    wait,
    submit: async (request: CrawlRequest, options?: SubmitOptions) =>
      answerOf<SubmittedCrawl>(await submit(transport, PATH, request, options)),
    get: (crawlId: string, options?: CallOptions) => get<Crawl>(transport, `${PATH}/${crawlId}`, options),
    list: (options?: CallOptions) => entriesOf<ListedCrawl>(transport, PATH, options),
    cancel: (crawlId: string, options?: CallOptions) =>
      change<Crawl>(transport, `${PATH}/${crawlId}/cancel`, options),
    /** A line for every URL and its outcome, until the crawl has ended. */
    urls: (crawlId: string, query: CrawlUrlsQuery = {}, options?: CallOptions) =>
      linesOf<CrawlUrl>(transport, `${PATH}/${crawlId}/urls`, { ...options, query }),
    /** A line for every page, until the crawl has ended. */
    results: (crawlId: string, { include, ...options }: ResultOptions = {}) =>
      resultsOf<CrawlResult>(transport, `${PATH}/${crawlId}/results`, { ...options, query: { include } }),
    retryFailed: async (crawlId: string, request: CrawlRetryRequest = {}, options?: SubmitOptions) =>
      answerOf<SubmittedCrawl>(await submit(transport, `${PATH}/${crawlId}/retry_failed`, request, options)),
  };
}

function failed({ crawl_id, stop_reason, requestId }: Answer<Crawl>): SitefetchError {
  const code = stop_reason === 'cancelled' ? 'cancelled' : 'crawl_failed';
  const message = `The crawl ${crawl_id} ended early: ${stop_reason}.`;
  return new SitefetchError(code, message, { requestId, retryable: stop_reason === 'unreachable' });
}
