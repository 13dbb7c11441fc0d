import { buffer } from 'node:stream/consumers';
import {
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  SQSClient,
  type Message,
} from '@aws-sdk/client-sqs';
import { z } from 'zod';
import { LOCAL_CREDENTIALS } from './create-resources.ts';
import type { LambdaFunction } from './lambda/lambda-function.ts';
import type { Blueprint } from './template/blueprint.ts';
import { REGION } from './template/physical.ts';

type EventSource = Blueprint['eventSources'][number];

type PollOptions = {
  source: EventSource;
  queueUrl: string;
  target: LambdaFunction;
  endpoint: string;
  report: (line: string) => void;
};

const LONG_POLL_SECONDS = 20;

const BatchResponse = z
  .object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string().min(1) })).nullish() })
  .nullish();

/**
 * Hands the messages of a queue to a function in batches, and deletes the handled ones. The others reappear
 * after their visibility timeout; the queue itself applies its redrive policy.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
 */
export function pollQueue({ source, queueUrl, target, endpoint, report }: PollOptions): AsyncDisposable {
  const sqs = new SQSClient({ endpoint, region: REGION, credentials: LOCAL_CREDENTIALS });
  const stopping = new AbortController();
  const inFlight = new Set<Promise<void>>();

  async function poll(): Promise<void> {
    while (!stopping.signal.aborted) {
      const { Messages = [] } = await sqs.send(receive(queueUrl, source.BatchSize), {
        abortSignal: stopping.signal,
      });
      if (Messages.length === 0) continue;
      const batch = handle(Messages)
        .catch((error: unknown) => {
          if (!stopping.signal.aborted) report(`${target.spec.label}: ${String(error)}`);
        })
        .finally(() => inFlight.delete(batch));
      inFlight.add(batch);
      if (inFlight.size >= source.ScalingConfig.MaximumConcurrency) await Promise.race(inFlight);
    }
  }

  async function handle(messages: Message[]): Promise<void> {
    const event = { Records: messages.map((message) => recordOf(message, source.EventSourceArn)) };
    const answer = await target.invoke(JSON.stringify(event));
    const body = (await buffer(answer.body)).toString();
    const fault = await answer.fault;
    if (fault) throw new Error(`${fault.errorType}: ${fault.errorMessage}`);
    const failed = failuresIn(source, body, messages);
    const handled = messages.filter(({ MessageId }) => !failed.has(MessageId ?? ''));
    if (handled.length === 0) return;
    await sqs.send(
      new DeleteMessageBatchCommand({
        QueueUrl: queueUrl,
        Entries: handled.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })),
      }),
    );
  }

  const polling = poll().catch((error: unknown) => {
    if (!stopping.signal.aborted)
      report(`The queue of ${target.spec.label} cannot be read: ${String(error)}`);
  });
  return {
    // Stopping the function ends the batches in progress.
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await polling;
      sqs.destroy();
    },
  };
}

function receive(queueUrl: string, batchSize: number): ReceiveMessageCommand {
  return new ReceiveMessageCommand({
    QueueUrl: queueUrl,
    MaxNumberOfMessages: Math.min(batchSize, 10),
    WaitTimeSeconds: LONG_POLL_SECONDS,
    MessageSystemAttributeNames: ['All'],
    MessageAttributeNames: ['All'],
  });
}

/** https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html#example-standard-queue-message-event */
function recordOf(message: Message, eventSourceARN: string) {
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes ?? {},
    messageAttributes: message.MessageAttributes ?? {},
    md5OfBody: message.MD5OfBody,
    eventSource: 'aws:sqs',
    eventSourceARN,
    awsRegion: REGION,
  };
}

/** An invalid response, or one that names an unknown message, fails the whole batch. */
function failuresIn({ FunctionResponseTypes }: EventSource, body: string, messages: Message[]): Set<string> {
  if (!FunctionResponseTypes.includes('ReportBatchItemFailures')) return new Set();
  const all = new Set(messages.map(({ MessageId }) => MessageId ?? ''));
  const response = BatchResponse.safeParse(JSON.parse(body || 'null'));
  if (!response.success) return all;
  const failed = (response.data?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier);
  return failed.every((id) => all.has(id)) ? new Set(failed) : all;
}
