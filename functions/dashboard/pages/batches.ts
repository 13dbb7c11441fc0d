import { BatchesQuery } from '../../../shared/contract/batches/batch.ts';
import { jobView } from '../../../shared/domain/jobs/view.ts';
import { isUpload } from '../../../shared/domain/batches/upload-state.ts';
import { AppError } from '../../../shared/errors.ts';
import { readQuery } from '../../../shared/request/read-query.ts';
import { cancelBatch } from '../../../shared/use-cases/batches/cancel-batch.ts';
import { findBatch } from '../../../shared/use-cases/batches/find-batch.ts';
import { findOrganization } from '../../../shared/use-cases/accounts/find-organization.ts';
import { listBatches } from '../../../shared/use-cases/batches/list-batches.ts';
import { settledJobs } from '../../../shared/use-cases/batches/settled-jobs.ts';
import { showBatches } from '../../../shared/use-cases/batches/show-batch.ts';
import { idIn, textIn, unless } from '../answered.ts';
import type { MemberCall } from '../page-call.ts';
import { fileReply, htmlReply, seeOther } from '../replies.ts';
import type { Needs, Pages } from '../needs.ts';
import { batchPage, missingBatchPage } from '../views/batch-page.ts';
import { batchesPage } from '../views/batches-page.ts';
import { withNotice } from '../views/notices.ts';
import { chosenIn } from '../views/paged-list.ts';

const PER_PAGE = '25';

export function batchesPages(fx: Needs): Pick<Pages, 'batches' | 'batchResults' | 'cancelBatch'> {
  return {
    batches: (call) => (idIn(call) === '' ? list(fx, call) : show(fx, call, idIn(call))),
    batchResults: async (call) => {
      const batch = await findBatch(fx, call.person.orgId, idIn(call));
      const jobs = await endedJobs(fx, batch);
      const lines = jobs.map((job) => `${JSON.stringify(jobView(job))}\n`);
      return fileReply(`sitefetch-batch-${batch.id}.ndjson`, 'application/x-ndjson', lines.join(''));
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
  const views = await showBatches(fx, await findOrganization(fx, call.person.orgId), batches);
  return htmlReply(batchesPage(call, views, nextCursor));
}

async function show(fx: Needs, call: MemberCall, id: string) {
  try {
    const batch = await findBatch(fx, call.person.orgId, id);
    const [view] = await showBatches(fx, await findOrganization(fx, call.person.orgId), [batch]);
    if (view === undefined) throw new AppError('not_found');
    const hasFailed = !isUpload(batch) && view.counts.failed > 0;
    const jobs = hasFailed ? await endedJobs(fx, batch) : [];
    const shown = { apiUrl: fx.apiUrl, batch: view, isUpload: isUpload(batch), jobs, now: fx.now() };
    return await htmlReply(batchPage(call, shown));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    return htmlReply(missingBatchPage(call), { status: 404 });
  }
}

async function endedJobs(fx: Needs, batch: { id: string; total: number }) {
  const { completed, failed } = await fx.batches.progress(batch);
  return settledJobs(fx, batch.id, [...completed.keys(), ...failed]);
}
