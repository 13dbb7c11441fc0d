import type { SQSBatchResponse, SQSEvent, Context } from 'aws-lambda';
import { readJobMessage } from '../../shared/contract/scrape/messages.ts';
import { AppError } from '../../shared/errors.ts';
import { described } from '../../shared/observe/redacted.ts';
import { openRequestLog } from '../../shared/observe/request-log.ts';
import type { Inbox, QueueMessage } from '../../shared/ports/jobs.ts';
import { fillPlaces, openPlaces } from '../../shared/use-cases/jobs/fill-places.ts';
import { chooseWork } from './backlog/choose-work.ts';
import { type LoggedNeeds, planCrawlLogged, readUploadLogged, runJobLogged } from './logged.ts';
import { singleFlightUsage } from './single-flight-usage.ts';
import { type WorkBudget, budgetsUntil } from './backlog/work-budget.ts';
import type { JobOutcome } from './jobs/job-outcome.ts';
import { type DrainContext, drainBacklog, type DrainNeeds } from './backlog/drain-backlog.ts';

type Postpone = (message: QueueMessage, seconds: number) => Promise<void>;

type Invocation = Omit<DrainContext, 'chooser' | 'budget' | 'places'> & {
  postpone: Postpone;
  /** No job of a backlog or of another message begins later. */
  lastStart: Date;
};

type Running = Omit<DrainContext, 'budget'> & Pick<Invocation, 'postpone'> & { newBudget: () => WorkBudget };

type Needs = DrainNeeds & LoggedNeeds & { inbox: Inbox };

/** Most jobs take less. */
const QUICK_MS = 1_000;

/** Until an upload is tried again whose organization had no place for it. */
const FULL_SECONDS = 10;

/** SQS's maximum: 12 hours. */
const MAX_VISIBILITY_SECONDS = 43_200;

/**
 * Runs a batch at once, and more messages while some of its jobs wait for their pages. Reports the messages
 * of the batch that stay in the queue, including jobs that hit an internal error.
 */
export async function consume(fx: Needs, event: SQSEvent, invocation: Invocation): Promise<SQSBatchResponse> {
  const shared = { ...fx, usage: singleFlightUsage(fx.usage) };
  const newBudget = budgetsUntil(fx, invocation.lastStart);
  const places = openPlaces();
  const context = { ...invocation, newBudget, places, chooser: chooseWork(fx) };
  const kept: string[] = [];
  const batch = event.Records.map(async (record) => {
    if ((await consumeOne(shared, record, context)) !== undefined) kept.push(record.messageId);
  });
  const handle = async (message: QueueMessage) => (await consumeOne(shared, message, context)) === undefined;
  await fillPlaces(fx, batch, { places, lastStart: invocation.lastStart, quickMs: QUICK_MS, handle });
  return { batchItemFailures: kept.map((itemIdentifier) => ({ itemIdentifier })) };
}

/** Returns the message's id if it stays in the queue. */
async function consumeOne(fx: Needs, record: QueueMessage, context: Running): Promise<string | undefined> {
  const message = readJobMessage(record.body);
  if (message === undefined) {
    dropUnreadable(record, context);
    return undefined;
  }
  if ('orgId' in message) return drainSafely(fx, message.orgId, context);
  if ('crawlId' in message) return consumeCrawl(fx, message.crawlId, record, context);
  if ('uploadOf' in message) return consumeUpload(fx, message.uploadOf, record, context);
  return consumeJob(fx, message.jobId, record, context);
}

function dropUnreadable({ messageId }: QueueMessage, { log }: Running): void {
  const requestLog = openRequestLog({ messageId });
  requestLog.fail(new AppError('internal', { cause: new Error('This is no job message.') }));
  requestLog.write(log, 'job');
}

async function consumeUpload(fx: Needs, batchId: string, record: QueueMessage, context: Running) {
  const outcome = await readUploadLogged(fx, batchId, context, record.messageId);
  if (outcome === 'full') await keep(record, FULL_SECONDS, context);
  return outcome === 'read' ? undefined : record.messageId;
}

/** A message about a crawl that could not be planned on comes again. */
async function consumeCrawl(fx: Needs, crawlId: string, record: QueueMessage, context: Running) {
  const isPlanned = await planCrawlLogged(fx, crawlId, context, record.messageId);
  return isPlanned ? undefined : record.messageId;
}

/** Runs a job, then the jobs of its organization that wait for the slot. */
async function consumeJob(fx: Needs, jobId: string, record: QueueMessage, context: Running) {
  const outcome = await runJobLogged(fx, jobId, context, record.messageId);
  const isKept = 'afterSeconds' in outcome && !(await isReplaced(fx, outcome));
  if (isKept) await keep(record, outcome.afterSeconds, context);
  if (outcome.awaitedIn !== undefined) await drainSafely(fx, outcome.awaitedIn, context);
  return isKept ? record.messageId : undefined;
}

/** Each wait gets a new message: a message that is received too often becomes a dead letter. */
async function isReplaced({ queue }: Pick<Needs, 'queue'>, outcome: JobOutcome): Promise<boolean> {
  if (outcome.outcome !== 'throttled') return false;
  return queue.send(outcome.job, outcome.afterSeconds).then(
    () => true,
    () => false,
  );
}

/** A fault must not fail the jobs of the other messages. The sweeper wakes the backlog within a minute. */
async function drainSafely(fx: Needs, orgId: string, context: Running): Promise<undefined> {
  await drainBacklog(fx, orgId, { ...context, budget: context.newBudget() }).catch((error: unknown) => {
    context.log.warn('backlog', { org_id: orgId, fault: described(error) });
  });
}

/** The message comes back after that time, in which this invocation may still run. */
async function keep(
  record: QueueMessage,
  seconds: number,
  { log, postpone }: Pick<Invocation, 'log' | 'postpone'>,
): Promise<void> {
  // If this fails, the queue's own visibility timeout applies.
  await postpone(record, Math.min(seconds, MAX_VISIBILITY_SECONDS)).catch((error: unknown) => {
    log.warn('postpone', { message_id: record.messageId, fault: described(error) });
  });
}

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
