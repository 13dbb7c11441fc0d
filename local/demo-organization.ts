import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createOrganization } from '../shared/use-cases/manage-organizations.ts';
import { documentClient } from '../shared/adapters/clients.ts';
import { clock } from '../shared/adapters/clock.ts';
import { dynamodbAccounts } from '../shared/adapters/dynamodb-accounts.ts';
import { LOCAL_CREDENTIALS } from './create-resources.ts';
import { REGION } from './template/physical.ts';

/** Limits that nobody meets by trying things out. */
const overrides = { credits: 100_000, rpm: 6_000, readsPerMinute: 60_000, concurrency: 50 };

/** Creates the organization that the demo key belongs to, and returns the key. */
export async function createDemoOrganization(endpoint: string, table: string): Promise<string> {
  const client = new DynamoDBClient({ endpoint, region: REGION, credentials: LOCAL_CREDENTIALS });
  try {
    const accounts = dynamodbAccounts({ client: documentClient(client), table });
    const { api_key } = await createOrganization(
      { ...clock, accounts },
      { name: 'Demo', plan: 'free', overrides, mode: 'test' },
    );
    return api_key;
  } finally {
    client.destroy();
  }
}
