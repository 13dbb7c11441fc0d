import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { JobMessage } from '../../shared/contract/messages.ts';
import { described, type Log } from '../../shared/http/request-log.ts';
import type { Effects } from '../../shared/ports.ts';
import { runJob, type Verdict } from './run-job.ts';

/** Sets when a message is seen again. The one thing that only SQS can do for us. */
export type Postpone = (record: SQSRecord, seconds: number) => Promise<void>;

/** The invocation that a batch is consumed in. */
export type Invocation = {
  log: Log;
  postpone: Postpone;
  /** Aborts a little before Lambda ends the worker, so that what it has begun is given back in order. */
  signal: AbortSignal;
};

type Needs = Parameters<typeof runJob>[0] & Pick<Effects, 'newId'>;

/** SQS lets no message sleep longer: 12 hours. */
const MAX_VISIBILITY_SECONDS = 43_200;
const FAULT_DELAY_SECONDS = 10;

/**
 * Runs the jobs of a batch side by side, each on its own. Says which messages stay in the queue; one whose job ran into
 * a fault of ours is among them.
 */
export async function consume(fx: Needs, event: SQSEvent, invocation: Invocation): Promise<SQSBatchResponse> {
  const outcomes = await Promise.all(event.Records.map(async (record) => consumeOne(fx, record, invocation)));
  return {
    batchItemFailures: outcomes
      .filter((id) => id !== undefined)
      .map((itemIdentifier) => ({ itemIdentifier })),
  };
}

/** The id of a message that is to stay in the queue. */
async function consumeOne(
  fx: Needs,
  record: SQSRecord,
  { log, postpone, signal }: Invocation,
): Promise<string | undefined> {
  const requestId = fx.newId();
  const message = JobMessage.safeParse(parsed(record.body));
  if (!message.success) {
    log.error('job', { request_id: requestId, message_id: record.messageId, fault: 'not a job message' });
    return undefined;
  }
  const startedAt = Date.now();
  const verdict = await runJob(fx, message.data.jobId, { requestId, signal }).catch(
    (error: unknown): Verdict => {
      log.error('job', { request_id: requestId, job_id: message.data.jobId, ...described(error) });
      return { outcome: 'again', afterSeconds: FAULT_DELAY_SECONDS };
    },
  );
  logJob(log, { requestId, jobId: message.data.jobId, ms: Date.now() - startedAt }, verdict);
  if (verdict.outcome === 'done') return undefined;
  await postpone(record, Math.min(verdict.afterSeconds, MAX_VISIBILITY_SECONDS)).catch((error: unknown) => {
    log.warn('job', { request_id: requestId, job_id: message.data.jobId, ...described(error) });
  });
  return record.messageId;
}

type Run = { requestId: string; jobId: string; ms: number };

function logJob(log: Log, { requestId, jobId, ms }: Run, verdict: Verdict): void {
  const line = { request_id: requestId, job_id: jobId, ms, outcome: verdict.outcome };
  if (verdict.outcome === 'again') {
    log.info('job', { ...line, after_seconds: verdict.afterSeconds });
    return;
  }
  const { job, error } = verdict;
  log.info('job', {
    ...line,
    org_id: job?.orgId,
    status: job?.status,
    attempt: job?.attempt,
    credits: job?.status === 'completed' ? job.creditsUsed : 0,
    code: error?.code,
  });
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
