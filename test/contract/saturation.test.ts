import { expect, test } from 'vitest';
import { documentClient, dynamodbClient } from '../../shared/adapters/clients.ts';
import { dynamodbJobs } from '../../shared/adapters/dynamodb/jobs/dynamodb-jobs.ts';
import { LOCAL_CREDENTIALS } from '../../local/create-resources.ts';
import { REGION } from '../../local/template/physical.ts';
import { targetServer } from '../support/servers/target-server.ts';

/** The outcome of one read from a DynamoDB that returns this error for every request. */
async function readFrom(errorName: string, maxAttempts?: number) {
  let requests = 0;
  await using server = await targetServer((_, response) => {
    requests += 1;
    response
      .writeHead(400, { 'Content-Type': 'application/x-amz-json-1.0' })
      .end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${errorName}` }));
  });
  const connection = { region: REGION, endpoint: server.origin, credentials: LOCAL_CREDENTIALS };
  const client = documentClient(dynamodbClient({ ...connection, ...(maxAttempts && { maxAttempts }) }));
  const jobs = dynamodbJobs({ client, table: 'jobs' });
  const error = await jobs.find('any').catch((thrown: unknown) => thrown);
  client.destroy();
  return { error, requests };
}

const BUSY = { code: 'busy', retryAfter: 2 };

test.each(['ThrottlingException', 'ProvisionedThroughputExceededException', 'RequestLimitExceeded'])(
  'a final %s from DynamoDB is reported as busy with Retry-After',
  async (name) => {
    expect(await readFrom(name, 1)).toMatchObject({ error: BUSY, requests: 1 });
  },
);

test(
  'a throttled read is retried several times before it is reported as busy',
  { tags: ['soak'] },
  async () => {
    const { error, requests } = await readFrom('ThrottlingException');
    expect(error).toMatchObject(BUSY);
    expect(requests).toBeGreaterThan(1);
  },
);
