import type { Page } from '../../shared/contract/scrape/page.ts';
import { retryAfterSeconds } from '../../shared/domain/work/retry-after.ts';
import { AppError } from '../../shared/errors.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import type { GetPage } from '../../shared/ports/scrape.ts';
import { MAX_ATTEMPTS, retryDelaySeconds } from '../../shared/domain/work/attempts.ts';

/** The least that is left for the next attempt. */
const LEAST_MS = 1_000;

type Web = Pick<Effects, 'fetchPage' | 'renderPage'>;

/** An attempt of a job, or of a line of a batch. */
type Attempt = {
  retryOn?: readonly number[] | undefined;
  attempt: number;
  /** No attempt begins later. */
  endsAt: Date;
};

/** The web for an attempt: a status of `retry_on` is an error while there is time for another one. */
export function withRetryOn({ fetchPage, renderPage }: Web, attempt: Attempt, now: () => Date): Web {
  const checked =
    (getPage: GetPage): GetPage =>
    async (request, context) => {
      const page = await getPage(request, context);
      const fault = refusalOf(page, attempt, now());
      if (fault) throw fault;
      return page;
    };
  return { fetchPage: checked(fetchPage), renderPage: checked(renderPage) };
}

function refusalOf(
  { status, headers = {} }: Page,
  { retryOn, attempt, endsAt }: Attempt,
  now: Date,
): AppError | undefined {
  if (!retryOn?.includes(status) || attempt >= MAX_ATTEMPTS) return undefined;
  const asked = retryAfterSeconds(headers, now);
  const delay = asked ?? retryDelaySeconds(attempt);
  // A page that is there is worth more than an attempt that comes too late.
  if (now.getTime() + delay * 1_000 + LEAST_MS > endsAt.getTime()) return undefined;
  return new AppError('target_status', {
    message: `The target responded with ${status}.`,
    retryAfter: delay,
  });
}
