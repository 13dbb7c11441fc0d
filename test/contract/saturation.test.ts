import { expect, test } from 'vitest';
import { documentClient, dynamodbClient } from '../../shared/adapters/clients.ts';
import { dynamodbJobs } from '../../shared/adapters/dynamodb-jobs.ts';
import { LOCAL_CREDENTIALS } from '../../local/create-resources.ts';
import { REGION } from '../../local/template/physical.ts';
import { targetServer } from '../support/target-server.ts';

test.concurrent.each([
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
])('a DynamoDB that says %s to the last is busy, and to be asked again', async (name) => {
  await using server = await targetServer((_, response) =>
    response
      .writeHead(400, { 'Content-Type': 'application/x-amz-json-1.0' })
      .end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}` })),
  );
  const connection = { region: REGION, endpoint: server.origin, credentials: LOCAL_CREDENTIALS };
  const client = documentClient(dynamodbClient(connection));
  const jobs = dynamodbJobs({ client, table: 'jobs' });
  await expect(jobs.find('any')).rejects.toMatchObject({ code: 'busy', retryAfter: 2 });
  client.destroy();
});
