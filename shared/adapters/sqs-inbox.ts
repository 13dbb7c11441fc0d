import { DeleteMessageCommand, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Inbox } from '../webhook-ports.ts';

type Options = { client: SQSClient; queueUrl: string };

/** A receive must not be cut off: its messages would be hidden, and nobody has them. */
const WAIT_SECONDS = 1;
/** Longer than an attempt. One that has no end returns soon. */
const VISIBILITY_SECONDS = 60;

/** The Inbox port on an SQS queue. */
export function sqsInbox({ client, queueUrl: QueueUrl }: Options): Inbox {
  return {
    receive: async (most) => {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: most,
          WaitTimeSeconds: WAIT_SECONDS,
          VisibilityTimeout: VISIBILITY_SECONDS,
        }),
      );
      return Messages.map(({ MessageId = '', Body = '', ReceiptHandle = '' }) => ({
        id: MessageId,
        body: Body,
        receipt: ReceiptHandle,
      }));
    },
    remove: async (receipt) => {
      await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: receipt }));
    },
  };
}
