import { text } from 'node:stream/consumers';
import { type Batch, BatchesQuery, BatchResult } from '../../../shared/contract/batches/batch.ts';
import { AppError } from '../../../shared/errors.ts';
import { readQuery } from '../../../shared/request/read-query.ts';
import { batchResults } from '../../../shared/use-cases/batches/batch-results.ts';
import { cancelBatch } from '../../../shared/use-cases/batches/cancel-batch.ts';
import { findBatch } from '../../../shared/use-cases/batches/find-batch.ts';
import { listBatches } from '../../../shared/use-cases/batches/list-batches.ts';
import { showBatches } from '../../../shared/use-cases/batches/show-batch.ts';
import { idIn, textIn, unless } from '../answered.ts';
import { type MemberCall, organizationOf } from '../page-call.ts';
import { fileReply, htmlReply, seeOther } from '../replies.ts';
import type { Needs, Pages } from '../needs.ts';
import { cancelPage } from '../views/cancel-page.ts';
import { counted } from '../views/count.ts';
import { batchPage, missingBatchPage } from '../views/batch-page.ts';
import { batchesPage } from '../views/batches-page.ts';
import { withNotice } from '../views/notices.ts';
import { chosenIn } from '../views/paged-list.ts';

const PER_PAGE = '25';

const MAX_LINES = 1_000;
const MAX_CHUNKS = 100;

export function batchesPages(
  fx: Needs,
): Pick<Pages, 'batches' | 'batchResults' | 'showBatchCancel' | 'cancelBatch'> {
  return {
    batches: (call) => (idIn(call) === '' ? list(fx, call) : show(fx, call, idIn(call))),
    batchResults: async (call) => {
      const batch = await findBatch(fx, call.person.orgId, idIn(call));
      if (!isSmall(batch)) throw new AppError('not_found', { message: 'The API returns these results.' });
      const name = `sitefetch-batch-${batch.id}.ndjson`;
      return fileReply(name, 'application/x-ndjson', await resultsOf(fx, batch));
    },
    showBatchCancel: async (call) => {
      const { id, total } = await findBatch(fx, call.person.orgId, idIn(call));
      const about = `${counted(total, 'request')}, ${id}`;
      return htmlReply(cancelPage(call, { kind: 'batch', id, path: `/batches?id=${id}`, about }));
    },
    cancelBatch: async (call) => {
      const id = textIn(call, 'id');
      const isCancelled = await cancelBatch(fx, call.person.orgId, id).then(
        () => true,
        unless('batch_finished'),
      );
      return seeOther(call, isCancelled ? withNotice('/batches', 'stopped', { id }) : `/batches?id=${id}`);
    },
  };
}

async function list(fx: Needs, call: MemberCall) {
  const { cursor } = chosenIn(call);
  const query = readQuery({ query: { ...(cursor && { cursor }), limit: [PER_PAGE] } }, BatchesQuery);
  const { batches, nextCursor } = await listBatches(fx, call.person.orgId, query);
  const views = await showBatches(fx, organizationOf(call), batches);
  return htmlReply(batchesPage(call, views, nextCursor));
}

async function show(fx: Needs, call: MemberCall, id: string) {
  try {
    const batch = await findBatch(fx, call.person.orgId, id);
    const [view] = await showBatches(fx, organizationOf(call), [batch]);
    if (view === undefined) throw new AppError('not_found');
    const isFile = isSmall(batch);
    const failures = isFile && view.counts.failed > 0 ? await failuresIn(fx, batch) : [];
    const shown = { apiUrl: fx.apiUrl, batch: view, isFile, failures, now: fx.now() };
    return await htmlReply(batchPage(call, shown));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    return htmlReply(missingBatchPage(call), { status: 404 });
  }
}

/** Few enough requests and chunks for one read of all results. */
function isSmall({ total, upload }: Batch): boolean {
  return total <= MAX_LINES && (upload.chunks ?? 0) <= MAX_CHUNKS;
}

async function resultsOf(fx: Needs, batch: Batch): Promise<string> {
  let all = '';
  let cursor: string | undefined;
  do {
    const { lines, next } = await batchResults(fx, batch, { cursor });
    const page = Buffer.isBuffer(lines) ? lines.toString() : await text(lines);
    // A batch in progress has a next page always.
    if (page === '') break;
    all += page;
    cursor = next;
  } while (cursor !== undefined);
  return all;
}

/** The code of each request that failed. */
async function failuresIn(fx: Needs, batch: Batch): Promise<string[]> {
  const lines = (await resultsOf(fx, batch)).split('\n').filter(Boolean);
  return lines.flatMap((line) => BatchResult.parse(JSON.parse(line)).error_code ?? []);
}
