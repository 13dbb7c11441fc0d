import { buffer } from 'node:stream/consumers';
import {
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  SQSClient,
  type Message,
} from '@aws-sdk/client-sqs';
import { untilAborted } from '../shared/time/until-aborted.ts';
import { LOCAL_CREDENTIALS } from './create-resources.ts';
import type { LambdaFunction } from './lambda/lambda-function.ts';
import type { Blueprint } from './template/blueprint.ts';
import { REGION } from './template/physical.ts';
import { z } from 'zod';

type EventSource = Blueprint['eventSources'][number];

type PollOptions = {
  source: EventSource;
  queueUrl: string;
  target: LambdaFunction;
  endpoint: string;
  report: (line: string) => void;
};

const LONG_POLL_SECONDS = 20;

type Poller = PollOptions & { sqs: SQSClient; stopping: AbortSignal; inFlight: Set<Promise<void>> };

/**
 * Hands the messages of a queue to a function in batches, and deletes the handled ones. The others reappear
 * after their visibility timeout; the queue itself applies its redrive policy. So do messages whose chain of
 * invocations is too long for a function that does not allow recursion.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
 */
export function pollQueue(options: PollOptions): AsyncDisposable {
  const { target, endpoint, report } = options;
  const sqs = new SQSClient({ endpoint, region: REGION, credentials: LOCAL_CREDENTIALS });
  const stopping = new AbortController();
  const poller = { ...options, sqs, stopping: stopping.signal, inFlight: new Set<Promise<void>>() };
  const polling = poll(poller).catch((error: unknown) => {
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

async function poll(poller: Poller): Promise<void> {
  const { source, queueUrl, target, report, sqs, stopping, inFlight } = poller;
  while (!stopping.aborted) {
    const { Messages = [] } = await sqs.send(receive(queueUrl, source.BatchSize), { abortSignal: stopping });
    if (Messages.length === 0) continue;
    const batch = handle(poller, Messages)
      .catch((error: unknown) => {
        if (!stopping.aborted) report(`${target.spec.label}: ${String(error)}`);
      })
      .finally(() => inFlight.delete(batch));
    inFlight.add(batch);
    if (inFlight.size >= source.ScalingConfig.MaximumConcurrency)
      await untilAborted(Promise.race(inFlight), stopping);
  }
}

async function handle({ source, queueUrl, target, sqs }: Poller, messages: Message[]): Promise<void> {
  const event = { Records: messages.map((message) => recordOf(message, source.EventSourceArn)) };
  const traceHeaders = messages.flatMap(({ Attributes }) => Attributes?.AWSTraceHeader ?? []);
  const answer = await target.invoke(JSON.stringify(event), { traceHeaders });
  const body = (await buffer(answer.body)).toString();
  const fault = await answer.fault;
  if (fault) throw new Error(`${fault.errorType}: ${fault.errorMessage}`);
  const failed = batchFailures(source, body, messages);
  const handled = messages.filter(({ MessageId }) => !failed.has(MessageId ?? ''));
  if (handled.length === 0) return;
  await sqs.send(
    new DeleteMessageBatchCommand({
      QueueUrl: queueUrl,
      Entries: handled.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })),
    }),
  );
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

const BatchResponse = z
  .object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string().min(1) })).nullish() })
  .nullish();

/** The ids of failed messages. An invalid response, or an unknown id, fails the whole batch. */
function batchFailures(
  { FunctionResponseTypes }: EventSource,
  body: string,
  messages: Message[],
): Set<string> {
  if (!FunctionResponseTypes.includes('ReportBatchItemFailures')) return new Set();
  const all = new Set(messages.map(({ MessageId }) => MessageId ?? ''));
  const response = BatchResponse.safeParse(JSON.parse(body || 'null'));
  if (!response.success) return all;
  const failed = (response.data?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier);
  return failed.every((id) => all.has(id)) ? new Set(failed) : all;
}
