import { ChangeMessageVisibilityCommand, type SQSClient } from '@aws-sdk/client-sqs';

type Options = { client: SQSClient; queueUrl: string };

/** Hides a message in progress for `seconds` instead of the rest of its visibility timeout. */
export function sqsPostpone({ client, queueUrl }: Options) {
  return async ({ receiptHandle }: { receiptHandle: string }, seconds: number): Promise<void> => {
    const message = { QueueUrl: queueUrl, ReceiptHandle: receiptHandle };
    await client.send(new ChangeMessageVisibilityCommand({ ...message, VisibilityTimeout: seconds }));
  };
}
