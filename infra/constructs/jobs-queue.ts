import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

/** Lambda's minimum, in function timeouts. https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html */
const VISIBILITY_TIMEOUTS = 6;

/** A job that waits for a browser is received at most every 5 seconds during 15 minutes. */
const MAX_RECEIVES = 250;

type Consumers = { worker: Duration; sweeper: Duration };

/** The queue of job ids and its dead-letter queue, for consumers with these timeouts. */
export function jobsQueue(scope: Construct, timeouts: Consumers): { queue: Queue; deadLetters: Queue } {
  const shared = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };
  const deadLetters = new Queue(scope, 'DeadLetters', {
    ...shared,
    visibilityTimeout: times(timeouts.sweeper, VISIBILITY_TIMEOUTS),
    retentionPeriod: Duration.days(14),
  });
  const queue = new Queue(scope, 'Queue', {
    ...shared,
    visibilityTimeout: times(timeouts.worker, VISIBILITY_TIMEOUTS),
    // Longer than all receives take, or a message would expire before it is a dead letter.
    retentionPeriod: Duration.days(14),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: MAX_RECEIVES },
  });
  return { queue, deadLetters };
}

const times = (duration: Duration, factor: number) => Duration.seconds(duration.toSeconds() * factor);
