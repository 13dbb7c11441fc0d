import type { RunningJob } from '../../../shared/contract/jobs/job.ts';
import type { StoredBody } from '../../../shared/contract/scrape/cached-page.ts';
import type { Page } from '../../../shared/contract/scrape/page.ts';
import { endOfTime } from '../../../shared/domain/jobs/timing.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import type { ScrapeContext } from '../../../shared/ports/scrape.ts';
import type { PageNeeds } from '../../../shared/use-cases/scrape/get-page.ts';
import { type CacheNeeds, type Caller, keepPage } from '../../../shared/use-cases/scrape/page-cache.ts';
import { repeatPage } from '../../../shared/use-cases/scrape/repeat-page.ts';
import { withRetryOn } from '../retry-on.ts';

export type JobPageNeeds = PageNeeds & CacheNeeds & Pick<Effects, 'keys'>;

/** The page that a job requests. Throws what `getPage` throws. */
export async function pageOfJob(
  fx: JobPageNeeds,
  job: RunningJob,
  context: Omit<ScrapeContext, 'requestId' | 'orgId'>,
): Promise<Page> {
  const { requestId, orgId, request } = job;
  const web = { ...fx, ...withRetryOn(fx, { ...job, endsAt: endOfTime(job) }, fx.now) };
  return repeatPage(web, request, { ...context, requestId, orgId }, await callerOf(fx, job));
}

/** Keeps a job's page where it is stored, for as long as the job is. */
export async function keepPageOfJob(
  fx: JobPageNeeds,
  job: RunningJob,
  page: Page,
  stored: StoredBody,
): Promise<void> {
  if (page.cache === 'miss') await keepPage(fx, job.request, await callerOf(fx, job), page, stored);
}

async function callerOf({ keys }: JobPageNeeds, { id, orgId, keyId }: RunningJob): Promise<Caller> {
  return { orgId, restrictions: (await keys.find(keyId))?.restrictions, workId: id };
}
