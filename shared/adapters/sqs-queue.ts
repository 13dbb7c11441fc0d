import { GetQueueAttributesCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { JobMessage } from '../contract/scrape/messages.ts';
import type { Queue } from '../ports/jobs.ts';

type Options = { client: SQSClient; queueUrl: string };

export function sqsQueue({ client, queueUrl }: Options): Queue {
  const send = async (orgId: string, message: JobMessage, delaySeconds?: number) => {
    await client.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: JSON.stringify(message),
        MessageGroupId: orgId,
        DelaySeconds: delaySeconds,
      }),
    );
  };
  return {
    send: ({ id, orgId }, delaySeconds) => send(orgId, { jobId: id }, delaySeconds),
    hasMessages: async () => {
      const { Attributes } = await client.send(
        new GetQueueAttributesCommand({
          QueueUrl: queueUrl,
          AttributeNames: ['ApproximateNumberOfMessages'],
        }),
      );
      return Number(Attributes?.ApproximateNumberOfMessages) > 0;
    },
    wake: (orgId, delaySeconds) => send(orgId, { orgId }, delaySeconds),
    readUpload: ({ id, orgId }) => send(orgId, { uploadOf: id }),
  };
}
