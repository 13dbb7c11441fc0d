import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { type NoticeMessage, readNotice } from '../../shared/contract/messages.ts';
import { AppError } from '../../shared/errors.ts';
import type { Log } from '../../shared/observe/log.ts';
import { openTrail, type Trail } from '../../shared/observe/trail.ts';
import type { Effects } from '../../shared/ports.ts';
import { tellOfCredits } from '../../shared/use-cases/tell-of-credits.ts';
import { attemptDelivery, type Needs as DeliveryNeeds } from './attempt-delivery.ts';

type Needs = DeliveryNeeds & Pick<Effects, 'accounts'>;

/** Handles a batch at once. Reports the messages that hit an internal error, which stay in the queue. */
export async function consume(fx: Needs, event: SQSEvent, log: Log): Promise<SQSBatchResponse> {
  const outcomes = await Promise.all(event.Records.map((record) => consumeOne(fx, record, log)));
  const kept = outcomes.filter((id) => id !== undefined);
  return { batchItemFailures: kept.map((itemIdentifier) => ({ itemIdentifier })) };
}

async function consumeOne(fx: Needs, { messageId, body }: SQSRecord, log: Log): Promise<string | undefined> {
  const message = readNotice(body);
  const trail = openTrail({ messageId });
  try {
    if (message === undefined) {
      trail.fail(new AppError('internal', { cause: new Error('This is no message of the notifier.') }));
      return undefined;
    }
    await handle(fx, message, trail);
    return undefined;
  } catch (error) {
    trail.fail(error);
    return messageId;
  } finally {
    trail.write(log, 'delivery');
  }
}

async function handle(fx: Needs, message: NoticeMessage, trail: Trail): Promise<void> {
  if ('creditsOf' in message) {
    trail.note({ orgId: message.creditsOf });
    const organization = await fx.accounts.findOrganization(message.creditsOf);
    if (organization) await tellOfCredits(fx, organization);
    return;
  }
  const { orgId, endpointId: webhookId, id: deliveryId } = message;
  trail.note({ orgId, webhookId, deliveryId });
  await attemptDelivery(fx, message, trail);
}
