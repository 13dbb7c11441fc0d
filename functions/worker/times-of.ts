import type { Context } from 'aws-lambda';

/** Time to store a page or release a job. */
const MARGIN_MS = 15_000;
/** The longest timeout of a scrape, and what follows it. */
const LONGEST_JOB_MS = 120_000 + MARGIN_MS + 5_000;

/** Of the time in which jobs may begin: invocations that began together must not all stop at once. */
const SHARE_FOR_ALL = 0.5;

/** When an invocation begins its last job, and a signal that aborts before Lambda's timeout. */
export function timesOf(context: Pick<Context, 'getRemainingTimeInMillis'>) {
  const remaining = context.getRemainingTimeInMillis();
  const share = SHARE_FOR_ALL + (1 - SHARE_FOR_ALL) * Math.random();
  return {
    lastStart: new Date(Date.now() + (remaining - LONGEST_JOB_MS) * share),
    signal: AbortSignal.timeout(Math.max(0, remaining - MARGIN_MS)),
  };
}
