import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { readJobMessage } from '../../shared/contract/messages.ts';
import { AppError } from '../../shared/errors.ts';
import type { Log } from '../../shared/observe/log.ts';
import { described } from '../../shared/observe/redacted.ts';
import { openTrail } from '../../shared/observe/trail.ts';
import { runJob, type Verdict } from './run-job.ts';
import { shareUsage } from './share-usage.ts';

type Postpone = (record: SQSRecord, seconds: number) => Promise<void>;

type Invocation = {
  log: Log;
  postpone: Postpone;
  /** Aborts before Lambda's timeout, so that jobs in progress are released in order. */
  signal: AbortSignal;
};

type Needs = Parameters<typeof runJob>[0];

/** SQS's maximum: 12 hours. */
const MAX_VISIBILITY_SECONDS = 43_200;
const FAULT_DELAY_SECONDS = 10;

/** Reports the messages that stay in the queue, including those of jobs that hit an internal error. */
export async function consume(fx: Needs, event: SQSEvent, invocation: Invocation): Promise<SQSBatchResponse> {
  const shared = { ...fx, accounts: shareUsage(fx.accounts) };
  const outcomes = await Promise.all(
    event.Records.map(async (record) => consumeOne(shared, record, invocation)),
  );
  return {
    batchItemFailures: outcomes
      .filter((id) => id !== undefined)
      .map((itemIdentifier) => ({ itemIdentifier })),
  };
}

/** Returns the message's id if it stays in the queue. */
async function consumeOne(
  fx: Needs,
  record: SQSRecord,
  { log, postpone, signal }: Invocation,
): Promise<string | undefined> {
  const trail = openTrail({ messageId: record.messageId });
  const message = readJobMessage(record.body);
  if (!message) {
    trail.fail(new AppError('internal', { cause: new Error('This is not a job message.') }));
    trail.write(log, 'job');
    return undefined;
  }
  trail.note({ jobId: message.jobId });
  const verdict = await runJob(fx, message.jobId, { trail, signal }).catch((error: unknown): Verdict => {
    trail.fail(error);
    return { outcome: 'again', afterSeconds: FAULT_DELAY_SECONDS };
  });
  if (verdict.outcome === 'again') trail.note({ retryAfter: verdict.afterSeconds });
  trail.write(log, 'job');
  if (verdict.outcome === 'done') return undefined;
  // If this fails, the queue's own visibility timeout applies.
  await postpone(record, Math.min(verdict.afterSeconds, MAX_VISIBILITY_SECONDS)).catch((error: unknown) => {
    log.warn('postpone', { message_id: record.messageId, fault: described(error) });
  });
  return record.messageId;
}
