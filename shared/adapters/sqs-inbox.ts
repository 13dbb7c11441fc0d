import { DeleteMessageCommand, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Inbox } from '../ports/jobs.ts';

type Options = { client: SQSClient; queueUrl: string };

/** A receive must not be cut off: its messages would be hidden, and nobody has them. */
const WAIT_SECONDS = 1;

/** The Inbox port on an SQS queue. */
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
    remove: async (receiptHandle) => {
      await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: receiptHandle }));
    },
  };
}
