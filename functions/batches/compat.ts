import { BatchBody, batchFields } from '../../shared/compat/batch-options.ts';
import { compatCode } from '../../shared/compat/problem.ts';
import { batchStatus } from '../../shared/compat/job-status.ts';
import { readOptions } from '../../shared/compat/read-options.ts';
import { hookOf } from '../../shared/compat/webhook-options.ts';
import type { Batch, BatchResult } from '../../shared/contract/batches/batch.ts';
import { ScrapeRequest } from '../../shared/contract/scrape/scrape-request.ts';
import { AppError } from '../../shared/errors.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { compatKey, pageReply } from '../../shared/http/compat-reply.ts';
import { json } from '../../shared/http/reply.ts';
import type { Operations } from '../../shared/http/respond.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { invalidField } from '../../shared/request/fault.ts';
import { checkedRequest, type TargetPolicy, targetOf } from '../../shared/request/parse-scrape-request.ts';
import { readLargeJson } from '../../shared/request/read-json.ts';
import { batchResults, type BatchResultNeeds } from '../../shared/use-cases/batches/batch-results.ts';
import { cancelBatch } from '../../shared/use-cases/batches/cancel-batch.ts';
import { findBatch } from '../../shared/use-cases/batches/find-batch.ts';
import type { ChunkNeeds } from '../../shared/use-cases/batches/settle-chunk.ts';
import { showBatches } from '../../shared/use-cases/batches/show-batch.ts';
import { emitCompat } from '../../shared/use-cases/webhooks/emit-compat.ts';
import { pictureLinks } from '../../shared/use-cases/scrape/picture-links.ts';
import { startBatchOf, type StartNeeds } from './start-batch-of.ts';

type Needs = StartNeeds & ChunkNeeds & Pick<Effects, 'results' | 'wait' | 'apiUrl'>;
type Named = 'compatBatch' | 'compatBatchStatus' | 'compatCancelBatch' | 'compatBatchErrors';

const PATH = '/v2/batch/scrape';
/** What a function may be sent. */
const MAX_BODY_BYTES = 6_000_000;

/** Batches in the words of `/v2`. */
export function compatBatches(fx: Needs, policy: TargetPolicy): Pick<Operations<'batches'>, Named> {
  const batchOf = (call: AuthenticatedCall) =>
    findBatch(fx, call.session.organization.id, call.params['id'] ?? '');
  return {
    compatBatch: async (call) => json(200, await begun(fx, policy, call)),

    compatBatchStatus: async (call) => {
      const { organization } = call.session;
      return pageReply(fx, call, {
        path: PATH,
        find: () => batchOf(call),
        linkTo: pictureLinks(fx, organization.id),
        statusOf: async (batch) => {
          const [view] = await showBatches(fx, organization, [batch]);
          if (view === undefined) throw new Error('A batch has a view');
          return batchStatus(view);
        },
        linesOf: (batch, cursor) => batchResults(fx, batch, { cursor, include: 'body' }),
      });
    },

    compatCancelBatch: async (call) => {
      await cancelBatch(fx, call.session.organization.id, (await batchOf(call)).id);
      return json(200, { success: true, status: 'cancelled' });
    },

    compatBatchErrors: async (call) => json(200, await batchErrors(fx, await batchOf(call))),
  };
}

async function begun(fx: Needs, policy: TargetPolicy, call: AuthenticatedCall) {
  const options = readOptions(BatchBody, readLargeJson(call, MAX_BODY_BYTES));
  const { defaults, fields, warnings } = batchFields(options);
  const { urls, invalidURLs } = divided(options.urls, policy);
  const [url] = urls;
  if (url === undefined || (invalidURLs.length > 0 && options.ignoreInvalidURLs === false))
    throw invalidField('urls', `These URLs are not valid: ${invalidURLs.slice(0, 10).join(', ')}.`);
  checkedRequest(ScrapeRequest, { input: { ...defaults, url }, source: 'body' }, [], policy);
  const wanted = { urls, defaults, fields, key: compatKey(call), compatHook: hookOf(options.webhook) };
  const batch = await startBatchOf(fx, policy, wanted, call);
  const { id, createdAt: at } = batch;
  await emitCompat(fx, batch, { of: 'batch_scrape', name: 'started', at });
  return {
    ...{ success: true, id, url: `${fx.apiUrl}${PATH}/${id}` },
    ...(invalidURLs.length > 0 && { invalidURLs }),
    ...(warnings.length > 0 && { warning: warnings.join(' ') }),
  };
}

/** The URLs that may be scraped, and the others. */
function divided(sent: readonly string[], policy: TargetPolicy) {
  const isInvalid = (url: string) => targetOf({ url }, policy) instanceof AppError;
  return {
    urls: sent.filter((url) => !isInvalid(url)),
    invalidURLs: sent.filter(isInvalid),
  };
}

/** Of one response, which is not paged. */
const MAX_ERRORS = 10_000;

type Line = Pick<BatchResult, 'line' | 'url' | 'status' | 'error' | 'error_code' | 'completed_at'>;

/** The URLs of a batch whose requests failed. It reads no robots.txt. */
async function batchErrors(fx: BatchResultNeeds, batch: Batch) {
  const errors: object[] = [];
  for (let cursor: string | undefined; errors.length < MAX_ERRORS;) {
    const { lines, next } = await batchResults(fx, batch, { cursor, include: undefined });
    const read = (lines as Buffer).toString().split('\n').filter(Boolean);
    for (const text of read) {
      const line = JSON.parse(text) as Line;
      if (line.status === 'failed') errors.push(errorOf(batch.id, line));
    }
    // Of a batch that runs there may be none yet.
    if (next === undefined || read.length === 0) break;
    cursor = next;
  }
  return { errors, robotsBlocked: [] };
}

const errorOf = (id: string, { line, url, error, error_code: code, completed_at: timestamp }: Line) => ({
  id: `${id}-${line}`,
  timestamp: timestamp ?? null,
  url: url ?? null,
  code: compatCode(code ?? 'internal'),
  error: error ?? null,
});
