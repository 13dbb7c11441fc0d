import { EventSourceMapping, type Function } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';

const BATCH_SIZE = 10;

/** Invokes the function with batches of messages, which its permissions must let it consume. */
export function invokeWithMessages(target: Function, queue: Queue, maxConcurrency: number): void {
  new EventSourceMapping(target, 'Messages', {
    target,
    eventSourceArn: queue.queueArn,
    batchSize: BATCH_SIZE,
    reportBatchItemFailures: true,
    maxConcurrency,
  });
}
