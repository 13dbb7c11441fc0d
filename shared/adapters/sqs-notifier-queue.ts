import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { NotifierMessage } from '../contract/scrape/messages.ts';
import type { NotifierQueue } from '../ports/webhooks.ts';

type Options = { client: SQSClient; queueUrl: string };

/** The Notices port on an SQS queue. Organizations are groups, so that a busy one delays no other. */
export function sqsNotifierQueue({ client, queueUrl: QueueUrl }: Options): NotifierQueue {
  const send = async (MessageGroupId: string, message: NotifierMessage, DelaySeconds?: number) => {
    const MessageBody = JSON.stringify(message);
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageGroupId, DelaySeconds }));
  };
  return {
    deliver: ({ orgId, endpointId, id }, delaySeconds) =>
      send(orgId, { orgId, endpointId, id }, delaySeconds),
    credits: (orgId) => send(orgId, { creditsOf: orgId }),
  };
}
