import { JobsQuery } from '../../../shared/contract/jobs/job-list.ts';
import { AppError } from '../../../shared/errors.ts';
import { readQuery } from '../../../shared/request/read-query.ts';
import { cancelJob } from '../../../shared/use-cases/jobs/cancel-job.ts';
import { findJob } from '../../../shared/use-cases/jobs/find-job.ts';
import { listJobs } from '../../../shared/use-cases/jobs/list-jobs.ts';
import { idIn, textIn, unless } from '../answered.ts';
import { faultsOf } from '../faults-of.ts';
import type { MemberCall } from '../page-call.ts';
import { htmlReply, seeOther } from '../replies.ts';
import type { Needs, Pages } from '../needs.ts';
import { cancelPage } from '../views/cancel-page.ts';
import { jobPage, missingJobPage } from '../views/job-page.ts';
import { jobFilters, jobsPage } from '../views/jobs-page.ts';
import { withNotice } from '../views/notices.ts';
import { chosenIn } from '../views/paged-list.ts';

const PER_PAGE = '25';

export function jobsPages(fx: Needs): Pick<Pages, 'jobs' | 'jobResult' | 'showJobCancel' | 'cancelJob'> {
  const wanted = (call: MemberCall, id: string) => findJob(fx, call.person.orgId, id);

  return {
    jobs: (call) => (idIn(call) === '' ? list(fx, call) : show(fx, call, idIn(call))),
    jobResult: async (call) => {
      const job = await wanted(call, idIn(call));
      if (job.status !== 'completed') throw new AppError('not_found', { message: 'This job has no result.' });
      // From another origin and as an attachment, so that a scraped page never runs on this one.
      const location = await fx.results.link(job.resultKey, {
        contentType: job.contentType ?? 'application/octet-stream',
        contentEncoding: job.gzip && 'gzip',
      });
      return { ...seeOther(call, ''), headers: { Location: location } };
    },
    showJobCancel: async (call) => {
      const { id, request } = await wanted(call, idIn(call));
      return htmlReply(cancelPage(call, { kind: 'job', id, path: `/jobs?id=${id}`, about: request.url }));
    },
    cancelJob: async (call) => {
      const { id } = await wanted(call, textIn(call, 'id'));
      const isCancelled = await cancelJob(fx, call.person.orgId, id).then(() => true, unless('job_finished'));
      return seeOther(call, isCancelled ? withNotice('/jobs', 'cancelled', { id }) : `/jobs?id=${id}`);
    },
  };
}

async function list(fx: Needs, call: MemberCall) {
  const chosen = chosenIn(call);
  delete chosen['notice'];
  try {
    const query = readQuery({ query: { ...chosen, limit: [PER_PAGE] } }, JobsQuery);
    return await htmlReply(jobsPage(call, await listJobs(fx, call.person.orgId, query)));
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'invalid_request')) throw error;
    return htmlReply(jobsPage(call, { jobs: [] }, faultsOf(error, jobFilters)), { status: 422 });
  }
}

async function show(fx: Needs, call: MemberCall, id: string) {
  try {
    return await htmlReply(jobPage(call, fx.apiUrl, await findJob(fx, call.person.orgId, id)));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    return htmlReply(missingJobPage(call), { status: 404 });
  }
}
