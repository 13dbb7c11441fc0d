import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

/** Lambda's minimum, in function timeouts. https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html */
const VISIBILITY_TIMEOUTS = 6;
/** A message stays only after an internal error. */
const MAX_RECEIVES = 10;

/** The notifier's queue. Every delivery is stored, so a dead letter loses nothing: it reports a fault. */
export function noticesQueue(scope: Construct, timeout: Duration): { notices: Queue; deadNotices: Queue } {
  const shared = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };
  const deadNotices = new Queue(scope, 'DeadNotices', { ...shared, retentionPeriod: Duration.days(14) });
  const notices = new Queue(scope, 'Notices', {
    ...shared,
    visibilityTimeout: Duration.seconds(timeout.toSeconds() * VISIBILITY_TIMEOUTS),
    retentionPeriod: Duration.days(4),
    deadLetterQueue: { queue: deadNotices, maxReceiveCount: MAX_RECEIVES },
  });
  return { notices, deadNotices };
}
