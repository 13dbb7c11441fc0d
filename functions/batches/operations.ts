import { type Batch, BatchesQuery, BatchId, ResultsQuery } from '../../shared/contract/batch.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { idempotencyKey } from '../../shared/http/idempotency.ts';
import { nextLink } from '../../shared/http/next-link.ts';
import { takeReaderPlace } from '../../shared/http/reader-place.ts';
import { json, type Reply } from '../../shared/http/reply.ts';
import type { Operations } from '../../shared/http/respond.ts';
import type { Effects } from '../../shared/ports.ts';
import { batchRequestFromBody } from '../../shared/request/parse-batch-request.ts';
import type { TargetPolicy } from '../../shared/request/parse-scrape-request.ts';
import { readQuery } from '../../shared/request/read-query.ts';
import type { FinishNeeds } from '../../shared/use-cases/finish-job.ts';
import { cancelBatch } from '../../shared/use-cases/cancel-batch.ts';
import { findBatch } from '../../shared/use-cases/find-batch.ts';
import { listBatches } from '../../shared/use-cases/list-batches.ts';
import { showBatches } from '../../shared/use-cases/show-batch.ts';
import { batchResults } from './batch-results.ts';
import { failedRequests } from './retry-failed.ts';
import { submitBatch, type SubmittedBatch } from './submit-batch.ts';

type Needs = FinishNeeds & Pick<Effects, 'queue' | 'results' | 'newId'>;

const POLL_SECONDS = '5';

export function batchOperations(fx: Needs, policy: TargetPolicy): Operations<'batches'> {
  const wanted = (call: AuthenticatedCall) => findBatch(fx, call.session.organization.id, batchId(call));
  const views = (batches: Batch[], { session, mount }: AuthenticatedCall) =>
    showBatches(fx, session.organization, batches, mount);
  const shown = async (batch: Batch, call: AuthenticatedCall) => {
    const [body] = await views([batch], call);
    return json(200, { ...body }, body?.status === 'running' ? { 'Retry-After': POLL_SECONDS } : {});
  };
  const submitted = async ({ batch, isReplayed }: SubmittedBatch, call: AuthenticatedCall) => {
    const headers = { Location: `${call.mount}${PATH}/${batch.id}`, 'Retry-After': POLL_SECONDS };
    const replayed = isReplayed ? { 'Idempotent-Replayed': 'true' } : {};
    const [body] = await views([batch], call);
    return json(202, { ...body }, { ...headers, ...replayed });
  };

  return {
    submitBatch: async (call) => {
      const batch = batchRequestFromBody(call, policy);
      return submitted(await submitBatch(fx, batch, { key: idempotencyKey(call) }, call), call);
    },

    listBatches: async (call) => {
      const { organization } = call.session;
      const { batches, nextCursor } = await listBatches(fx, organization.id, readQuery(call, BatchesQuery));
      const body = {
        data: await views(batches, call),
        ...(nextCursor !== undefined && { next_cursor: nextCursor }),
      };
      return json(200, body, nextCursor === undefined ? {} : { Link: nextLink(call, nextCursor) });
    },

    getBatch: async (call) => shown(await wanted(call), call),

    cancelBatch: async (call) => {
      const { organization } = call.session;
      return shown(await cancelBatch(fx, organization.id, batchId(call)), call);
    },

    getBatchResults: async (call) => results(fx, await wanted(call), call),

    retryFailed: async (call) => {
      const failed = await failedRequests(fx, call);
      const repeat = { key: idempotencyKey(call), body: { retry_failed: batchId(call) } };
      return submitted(await submitBatch(fx, failed, repeat, call), call);
    },
  };
}

async function results(fx: Needs, batch: Batch, call: AuthenticatedCall): Promise<Reply> {
  const { lines, next, isHeavy } = await batchResults(fx, batch, readQuery(call, ResultsQuery), call.mount);
  if (isHeavy) await takeReaderPlace(call);
  const link = next === undefined ? {} : { Link: nextLink(call, next) };
  return {
    status: 200,
    headers: { 'Content-Type': 'application/x-ndjson; charset=utf-8', ...link },
    body: lines,
  };
}

const PATH = '/api/v1/scraper/batches';

function batchId({ params: { batch_id: id = '' }, trail }: AuthenticatedCall): string {
  if (BatchId.safeParse(id).success) trail.note({ batchId: id });
  return id;
}
