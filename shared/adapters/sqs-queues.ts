import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { JobMessage, NotifierMessage } from '../contract/scrape/messages.ts';
import type { Inbox, Queue } from '../ports/jobs.ts';
import type { NotifierQueue } from '../ports/webhooks.ts';

type Options = { client: SQSClient; queueUrl: string };

/** A receive must not be cut off: its messages would be hidden, and nobody has them. */
const WAIT_SECONDS = 1;

/** The Queue port. */
export function sqsQueue({ client, queueUrl: QueueUrl }: Options): Queue {
  const send = senderTo({ client, queueUrl: QueueUrl });
  return {
    send: ({ id, orgId }, delaySeconds) => send(orgId, { jobId: id }, delaySeconds),
    hasMessages: async () => {
      const AttributeNames = ['ApproximateNumberOfMessages' as const];
      const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
      return Number(Attributes?.ApproximateNumberOfMessages) > 0;
    },
    wake: (orgId, delaySeconds) => send(orgId, { orgId }, delaySeconds),
    readUpload: ({ id, orgId }) => send(orgId, { uploadOf: id }),
    planCrawl: ({ id, orgId }, delaySeconds) => send(orgId, { crawlId: id }, delaySeconds),
  };
}

/** The NotifierQueue port. */
export function sqsNotifierQueue(options: Options): NotifierQueue {
  const send = senderTo(options);
  return {
    deliver: ({ orgId, endpointId, id }, delaySeconds) =>
      send(orgId, { orgId, endpointId, id }, delaySeconds),
    credits: (orgId) => send(orgId, { creditsOf: orgId }),
  };
}

/** Organizations are groups, so that a busy one delays no other. */
function senderTo({ client, queueUrl: QueueUrl }: Options) {
  return async (MessageGroupId: string, message: JobMessage | NotifierMessage, DelaySeconds?: number) => {
    const MessageBody = JSON.stringify(message);
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageGroupId, DelaySeconds }));
  };
}

/** The Inbox port. */
export function sqsInbox({ client, queueUrl: QueueUrl }: Options): Inbox {
  return {
    receive: async (most) => {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: most, WaitTimeSeconds: WAIT_SECONDS }),
      );
      return Messages.map(({ MessageId = '', ReceiptHandle = '', Body = '' }) => ({
        messageId: MessageId,
        receiptHandle: ReceiptHandle,
        body: Body,
      }));
    },
    remove: async (ReceiptHandle) => {
      await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    },
  };
}

/** Hides a message in progress for `seconds` instead of the rest of its visibility timeout. */
export function sqsPostpone({ client, queueUrl: QueueUrl }: Options) {
  return async ({ receiptHandle: ReceiptHandle }: { receiptHandle: string }, seconds: number) => {
    const VisibilityTimeout = seconds;
    await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
  };
}
