import { AppError } from '../../../shared/errors.ts';
import { findJob } from '../../../shared/use-cases/find-job.ts';
import type { MemberCall } from '../page-call.ts';
import { pageReply, seeOther } from '../page-reply.ts';
import type { Needs, Pages } from '../pages.ts';
import { jobsPage } from '../views/jobs-page.ts';

/** One job by its id: there is no index of an organization's jobs. */
export function jobsPages(fx: Needs): Pick<Pages, 'jobs' | 'jobResult'> {
  const wanted = (call: MemberCall) => findJob(fx, call.person.orgId, idIn(call));

  return {
    jobs: async (call) => {
      const { apiUrl } = fx;
      if (idIn(call) === '') return pageReply(jobsPage(call, { apiUrl }));
      try {
        return await pageReply(jobsPage(call, { apiUrl, id: idIn(call), job: await wanted(call) }));
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
        return pageReply(jobsPage(call, { apiUrl, id: idIn(call) }), { status: 404 });
      }
    },
    jobResult: async (call) => {
      const job = await wanted(call);
      if (job.status !== 'completed') throw new AppError('not_found', { message: 'This job has no result.' });
      // From another origin and as an attachment, so that a scraped page never runs on this one.
      const location = await fx.results.link(job.resultKey, {
        contentType: job.contentType ?? 'application/octet-stream',
        contentEncoding: job.gzip && 'gzip',
      });
      return { ...seeOther(call, ''), headers: { Location: location } };
    },
  };
}

const idIn = ({ query }: MemberCall) => (query.id?.[0] ?? '').trim().toLowerCase().slice(0, 100);
