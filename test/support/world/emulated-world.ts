import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { inject } from 'vitest';
import { LOCAL_CREDENTIALS } from '../../../local/create-resources.ts';
import { startEmulators } from '../../../local/emulators.ts';
import { REGION } from '../../../local/template/physical.ts';
import { s3Results } from '../../../shared/adapters/s3-results.ts';
import { s3Uploads } from '../../../shared/adapters/s3-uploads.ts';
import { sqsQueue } from '../../../shared/adapters/sqs-queues.ts';
import { dynamodbWorld, type Faults } from './dynamodb-world.ts';

const BUCKET = 'results';

type Options = {
  /** The share of requests to DynamoDB that meet a fault, and the seed that selects the faults. */
  faults?: Faults;
};

/** The storage ports on the emulators, with fresh tables, queue and bucket. Torn down by `await using`. */
export async function emulatedWorld({ faults }: Options = {}) {
  await using stack = new AsyncDisposableStack();
  const emulators = stack.use(await startEmulators());
  const at = (endpoint: string) => ({ endpoint, region: REGION, credentials: LOCAL_CREDENTIALS });
  // One DynamoDB may serve the whole run, so each world's tables have their own names.
  const dynamodb = stack.use(await dynamodbWorld(inject('dynamodbUrl') ?? emulators.dynamodb, faults));
  const s3 = stack.adopt(new S3Client(at(emulators.s3)), (client) => client.destroy());
  const uploads = stack.adopt(
    new S3Client({ ...at(emulators.s3), requestChecksumCalculation: 'WHEN_REQUIRED' }),
    (client) => client.destroy(),
  );
  const sqs = stack.adopt(new SQSClient(at(emulators.sqs)), (client) => client.destroy());
  await s3.send(new CreateBucketCommand({ Bucket: BUCKET }));
  const { QueueUrl: queueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: 'jobs' }));

  const running = stack.move();
  return {
    ...dynamodb,
    results: s3Results({ client: s3, bucket: BUCKET }),
    uploads: s3Uploads({ client: uploads, bucket: BUCKET }),
    queue: sqsQueue({ client: sqs, queueUrl }),
    sqs,
    queueUrl,
    s3,
    bucket: BUCKET,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

export type EmulatedWorld = Awaited<ReturnType<typeof emulatedWorld>>;
