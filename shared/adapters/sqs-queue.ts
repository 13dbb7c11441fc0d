import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { JobMessage } from '../contract/messages.ts';
import type { Queue } from '../ports.ts';

type Options = { client: SQSClient; queueUrl: string };

export function sqsQueue({ client, queueUrl }: Options): Queue {
  return {
    send: async ({ id, orgId }) => {
      const message: JobMessage = { jobId: id };
      await client.send(
        new SendMessageCommand({
          QueueUrl: queueUrl,
          MessageBody: JSON.stringify(message),
          MessageGroupId: orgId,
        }),
      );
    },
  };
}
