import { type Batch, BatchesQuery, BatchId, ResultsQuery } from '../../shared/contract/batch.ts';
import { isUpload, UPLOAD_SECONDS } from '../../shared/domain/upload/upload-state.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { idempotencyKey } from '../../shared/http/idempotency.ts';
import { nextLink } from '../../shared/http/next-link.ts';
import { preferredType } from '../../shared/http/content-encoding.ts';
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
import { listParts } from './uploads/list-parts.ts';
import { retryUpload } from './uploads/retry-upload.ts';
import { startUpload } from './uploads/start-upload.ts';
import { submitUpload } from './uploads/submit-upload.ts';
import { uploadResults } from './uploads/upload-results.ts';
import { submitBatch, type SubmittedBatch } from './submit-batch.ts';

type Needs = FinishNeeds & Pick<Effects, 'chunks' | 'queue' | 'results' | 'uploads' | 'newId'>;

const POLL_SECONDS = '5';

export function batchOperations(fx: Needs, policy: TargetPolicy): Operations<'batches'> {
  const wanted = (call: AuthenticatedCall) => findBatch(fx, call.session.organization.id, batchId(call));
  const views = (batches: Batch[], { session, mount }: AuthenticatedCall) =>
    showBatches(fx, session.organization, batches, mount);
  const viewed = async (batch: Batch, call: AuthenticatedCall) => {
    const [body] = await views([batch], call);
    const isAwaited = isUpload(batch) && body?.status === 'waiting_for_upload';
    return {
      ...body,
      ...(isAwaited && { upload_url: await fx.uploads.link(batch.upload.key, UPLOAD_SECONDS) }),
    };
  };
  const shown = async (batch: Batch, call: AuthenticatedCall) => {
    const body = await viewed(batch, call);
    return json(200, body, body.status === 'running' ? { 'Retry-After': POLL_SECONDS } : {});
  };
  const submitted = async ({ batch, isReplayed }: SubmittedBatch, call: AuthenticatedCall) => {
    const headers = { Location: `${call.mount}${PATH}/${batch.id}`, 'Retry-After': POLL_SECONDS };
    const replayed = isReplayed ? { 'Idempotent-Replayed': 'true' } : {};
    return json(202, await viewed(batch, call), { ...headers, ...replayed });
  };

  return {
    submitBatch: async (call) => {
      const wanted = batchRequestFromBody(call, policy);
      const key = idempotencyKey(call);
      return 'items' in wanted
        ? submitted(await submitBatch(fx, wanted, { key }, call), call)
        : submitted(await submitUpload(fx, wanted, { key, body: wanted }, call), call);
    },

    startBatch: async (call) => {
      const { organization } = call.session;
      return shown(await startUpload(fx, organization.id, batchId(call)), call);
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
      const batch = await wanted(call);
      if (isUpload(batch)) return submitted(await retryUpload(fx, batch, idempotencyKey(call), call), call);
      const failed = await failedRequests(fx, call);
      const repeat = { key: idempotencyKey(call), body: { retry_failed: batchId(call) } };
      return submitted(await submitBatch(fx, failed, repeat, call), call);
    },
  };
}

async function results(fx: Needs, batch: Batch, call: AuthenticatedCall): Promise<Reply> {
  const query = readQuery(call, ResultsQuery);
  if (isUpload(batch) && wantsJson(call)) {
    const parts = await listParts(fx, batch, query.cursor);
    const { next_cursor: next } = parts;
    return json(200, parts, { Vary: 'Accept', ...(next !== undefined && { Link: nextLink(call, next) }) });
  }
  const found = isUpload(batch)
    ? await uploadResults(fx, batch, query)
    : await batchResults(fx, batch, query, call.mount);
  const { lines, next, isHeavy } = found;
  if (isHeavy) await takeReaderPlace(call);
  const link = next === undefined ? {} : { Link: nextLink(call, next) };
  const headers = { 'Content-Type': `${NDJSON}; charset=utf-8`, Vary: 'Accept', ...link };
  return { status: 200, headers, body: lines };
}

const [NDJSON, JSON_TYPE] = ['application/x-ndjson', 'application/json'];

/** Lines are what callers get who do not ask for the list of parts. */
function wantsJson({ headers }: AuthenticatedCall): boolean {
  return preferredType(headers['accept'], [NDJSON, JSON_TYPE]) === JSON_TYPE;
}

const PATH = '/api/v1/scraper/batches';

function batchId({ params: { batch_id: id = '' }, trail }: AuthenticatedCall): string {
  if (BatchId.safeParse(id).success) trail.note({ batchId: id });
  return id;
}
