import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { type NotifierMessage, readNotifierMessage } from '../../shared/contract/scrape/messages.ts';
import { AppError } from '../../shared/errors.ts';
import type { Log } from '../../shared/observe/log.ts';
import { logged, openRequestLog, type RequestLog } from '../../shared/observe/request-log.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import type { Inbox, QueueMessage } from '../../shared/ports/jobs.ts';
import { fillPlaces, openPlaces } from '../../shared/use-cases/jobs/fill-places.ts';
import { emitLowCredits } from '../../shared/use-cases/webhooks/emit-low-credits.ts';
import { attemptDelivery, type Needs as DeliveryNeeds } from './attempt-delivery.ts';

type Needs = DeliveryNeeds & Pick<Effects, 'usage' | 'notes' | 'organizations'> & { inbox: Inbox };
type Message = Pick<QueueMessage, 'messageId' | 'body'>;

/** Longer than a batch takes whose receivers are quick. */
const QUICK_MS = 500;

type Invocation = {
  log: Log;
  /** No message is taken from the queue later, so that each attempt has its whole time. */
  lastStart: Date;
};

/** The longest attempt, and what is read and written around it. */
const LONGEST_MS = 30_000;

export const lastStartIn = (context: Pick<Context, 'getRemainingTimeInMillis'>) =>
  new Date(Date.now() + context.getRemainingTimeInMillis() - LONGEST_MS);

/**
 * Handles a batch at once, and more messages while some of it wait for their receivers. Reports the messages
 * of the batch that hit an internal error, which stay in the queue.
 */
export async function consume(
  fx: Needs,
  event: SQSEvent,
  { log, lastStart }: Invocation,
): Promise<SQSBatchResponse> {
  const kept: string[] = [];
  const batch = event.Records.map(async (record) => {
    if (!(await isHandled(fx, record, log))) kept.push(record.messageId);
  });
  const handle = (message: Message) => isHandled(fx, message, log);
  await fillPlaces(fx, batch, { places: openPlaces(), lastStart, quickMs: QUICK_MS, handle });
  return { batchItemFailures: kept.map((itemIdentifier) => ({ itemIdentifier })) };
}

/** False if the message stays in the queue. */
async function isHandled(fx: Needs, { messageId, body }: Message, log: Log): Promise<boolean> {
  const message = readNotifierMessage(body);
  const requestLog = openRequestLog({ messageId });
  const work = async () => {
    if (message === undefined)
      requestLog.fail(new AppError('internal', { cause: new Error('This is no message of the notifier.') }));
    else await handle(fx, message, requestLog);
    return true;
  };
  return logged({ log, kind: 'delivery', requestLog }, work, () => false);
}

async function handle(fx: Needs, message: NotifierMessage, requestLog: RequestLog): Promise<void> {
  if ('creditsOf' in message) {
    requestLog.note({ orgId: message.creditsOf });
    const organization = await fx.organizations.find(message.creditsOf);
    if (organization) await emitLowCredits(fx, organization);
    return;
  }
  const { orgId, endpointId: webhookId, id: deliveryId } = message;
  requestLog.note({ orgId, webhookId, deliveryId });
  await attemptDelivery(fx, message, requestLog);
}
