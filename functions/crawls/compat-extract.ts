import type { Crawl } from '../../shared/contract/crawls/crawl.ts';
import { documentsPage } from '../../shared/compat/documents-page.ts';
import { ExtractBody, extractFields, pageOf } from '../../shared/compat/extract-options.ts';
import { crawlStatus } from '../../shared/compat/job-status.ts';
import { mergeValues } from '../../shared/compat/merge-values.ts';
import { readOptions } from '../../shared/compat/read-options.ts';
import { isJsonObject } from '../../shared/contract/json-object.ts';
import { AppError } from '../../shared/errors.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { compatKey, takePlaceInTurn } from '../../shared/http/compat-reply.ts';
import { json } from '../../shared/http/reply.ts';
import type { Operations } from '../../shared/http/respond.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { invalidField } from '../../shared/request/fault.ts';
import { crawlRequestFromBody } from '../../shared/request/parse-crawl-request.ts';
import { targetOf } from '../../shared/request/parse-scrape-request.ts';
import { readJson } from '../../shared/request/read-json.ts';
import { sentJson } from '../../shared/request/sent-json.ts';
import { type CrawlResultNeeds, crawlResults } from '../../shared/use-cases/crawls/crawl-results.ts';
import { findCrawl, type FindCrawlNeeds } from '../../shared/use-cases/crawls/find-crawl.ts';
import { type ManifestNeeds, readManifest } from '../../shared/use-cases/crawls/read-manifest.ts';
import { showCrawl, type ShowCrawlNeeds } from '../../shared/use-cases/crawls/show-crawl.ts';
import { pictureLinks } from '../../shared/use-cases/scrape/picture-links.ts';
import { crawlErrors } from './compat-errors.ts';
import { type CrawlPolicy, submitCrawl, type SubmitNeeds } from './submit-crawl.ts';

type ReadNeeds = ManifestNeeds & CrawlResultNeeds & Pick<Effects, 'results' | 'now'>;
type Needs = SubmitNeeds & ReadNeeds & ShowCrawlNeeds & FindCrawlNeeds & Pick<Effects, 'wait'>;

/** Values from several pages, as one object, in the words of `/v2`: a crawl that a model reads. */
export function compatExtracts(
  fx: Needs,
  policy: CrawlPolicy,
): Pick<Operations<'crawls'>, 'compatExtract' | 'compatExtractStatus'> {
  return {
    compatExtract: async (call) => json(200, await begun(fx, policy, call)),

    compatExtractStatus: async (call) => {
      const { organization } = call.session;
      const refusal = await takePlaceInTurn(fx, call);
      if (refusal) throw refusal;
      const crawl = await findCrawl(fx, organization.id, call.params['id'] ?? '');
      const state = crawlStatus(await showCrawl(fx, organization, crawl));
      const { status, completed, expiresAt, creditsUsed } = state;
      const head = { success: true, id: crawl.id, expiresAt, creditsUsed };
      if (status === 'scraping') return json(200, { ...head, status: 'processing', data: [] });
      const pages = await valuesOf(fx, crawl, organization.id);
      const missing = completed - pages.length;
      const warning = `${missing} of ${completed} pages have no values: see GET /v2/crawl/${crawl.id}/errors.`;
      const read = { ...head, status, ...mergeValues(pages), ...(missing > 0 && { warning }) };
      if (pages.length > 0 || status === 'cancelled') return json(200, read);
      return json(200, { ...read, success: false, status: 'failed', error: await reasonOf(fx, crawl) });
    },
  };
}

async function begun(fx: Needs, policy: CrawlPolicy, call: AuthenticatedCall) {
  const options = readOptions(ExtractBody, readJson(call));
  const isInvalid = (url: string) => targetOf({ url: pageOf(url) }, policy) instanceof AppError;
  const invalidURLs = options.urls.filter(isInvalid);
  const urls = options.urls.filter((url) => !invalidURLs.includes(url));
  if (urls.length === 0 || (invalidURLs.length > 0 && options.ignoreInvalidURLs === false))
    throw invalidField('urls', `These URLs are not valid: ${invalidURLs.slice(0, 10).join(', ')}.`);
  const { fields, warnings } = extractFields(options, urls);
  const wanted = crawlRequestFromBody(sentJson(fields), policy);
  const { crawl } = await submitCrawl(fx, wanted, { key: compatKey(call), body: wanted }, call);
  return {
    ...{ success: true, id: crawl.id },
    ...(invalidURLs.length > 0 && { invalidURLs }),
    ...(warnings.length > 0 && { warning: warnings.join(' ') }),
  };
}

/** The values of all pages, in the order of their lines. */
async function valuesOf(fx: ReadNeeds, crawl: Crawl, orgId: string) {
  const { waves = [] } = (await readManifest(fx, crawl)) ?? {};
  const reading = { jobId: crawl.id, now: fx.now(), linkTo: pictureLinks(fx, orgId) };
  const documents: Document[] = [];
  for (let cursor: string | undefined, isLast = false; !isLast;) {
    const { lines, next } = await crawlResults(fx, crawl, waves, { cursor, include: 'body' });
    const page = await documentsPage(lines, reading);
    documents.push(...(page.documents as Document[]));
    cursor = page.isCut ? page.cursor : next;
    isLast = cursor === undefined;
  }
  return documents.flatMap(({ json: values, metadata }) =>
    values === undefined ? [] : [{ url: metadata.sourceURL, values: asObject(values) }],
  );
}

type Document = { json?: unknown; metadata: { sourceURL: string } };

const asObject = (values: unknown) => (isJsonObject(values) ? values : { items: values });

async function reasonOf(fx: ManifestNeeds, crawl: Crawl): Promise<string> {
  const [first] = (await crawlErrors(fx, crawl)).errors;
  return first
    ? `No values were read. ${first.url}: ${first.error}`
    : 'No values were read from these pages.';
}
