import type { RunningJob } from '../../shared/contract/job.ts';
import type { Page } from '../../shared/contract/page.ts';
import { MAX_ATTEMPTS, retryDelaySeconds } from '../../shared/domain/job/backoff.ts';
import { retryAfterSeconds } from '../../shared/domain/job/retry-after.ts';
import { endOfTime } from '../../shared/domain/job/timing.ts';
import { AppError } from '../../shared/errors.ts';
import type { GetPage } from '../../shared/page-ports.ts';
import type { Effects } from '../../shared/ports.ts';

/** The least that is left for the next attempt. */
const LEAST_MS = 1_000;

type Web = Pick<Effects, 'fetchPage' | 'renderPage'>;

/** The web for a job: a status of its `retry_on` is an error while there is time for another attempt. */
export function withRetryOn({ fetchPage, renderPage }: Web, job: RunningJob, now: () => Date): Web {
  const checked =
    (getPage: GetPage): GetPage =>
    async (request, context) => {
      const page = await getPage(request, context);
      const fault = refusalOf(page, job, now());
      if (fault) throw fault;
      return page;
    };
  return { fetchPage: checked(fetchPage), renderPage: checked(renderPage) };
}

function refusalOf({ status, headers = {} }: Page, job: RunningJob, now: Date): AppError | undefined {
  if (!job.retryOn?.includes(status) || job.attempt >= MAX_ATTEMPTS) return undefined;
  const asked = retryAfterSeconds(headers, now);
  const delay = asked ?? retryDelaySeconds(job.attempt);
  // A page that is there is worth more than an attempt that comes too late.
  if (now.getTime() + delay * 1_000 + LEAST_MS > endOfTime(job).getTime()) return undefined;
  return new AppError('target_status', {
    message: `The target responded with ${status}.`,
    retryAfter: delay,
  });
}

/** Seconds until the attempt after one that failed like this. */
export const secondsAfter = ({ code, retryAfter }: AppError, { attempt }: RunningJob): number =>
  (code === 'target_status' ? retryAfter : undefined) ?? retryDelaySeconds(attempt);
