import { randomBytes } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { documentClient } from '../shared/adapters/clients.ts';
import { clock } from '../shared/adapters/clock.ts';
import { dynamodbAccounts } from '../shared/adapters/dynamodb/accounts/dynamodb-accounts.ts';
import type { Organization } from '../shared/contract/accounts/account.ts';
import { createApiKey, hashApiKey, parseApiKey } from '../shared/domain/accounts/api-key.ts';
import type { AccountEffects } from '../shared/ports/accounts.ts';
import { LOCAL_CREDENTIALS } from './create-resources.ts';
import type { Demo } from './kept-state.ts';
import { type KeptWork, releaseKeptWork } from './release-kept-work.ts';
import { REGION } from './template/physical.ts';

/** Limits that trying things out does not reach. */
const overrides = { credits: 100_000, rpm: 6_000, readsPerMinute: 60_000, concurrency: 50 };

type Account = Pick<Demo, 'org_id' | 'api_key'>;

type DemoOptions = {
  endpoint: string;
  tables: Record<string, string>;
  kept: Account | undefined;
  /** The key to use in place of a kept or a new one. */
  apiKey: string | undefined;
};

export type KeptCounts = KeptWork & { organizations: number };

/**
 * The demo organization and its key, from the last run if there was one, and the number of things kept.
 * No function may run yet.
 */
export async function openDemoOrganization(options: DemoOptions): Promise<Account & { kept: KeptCounts }> {
  const { endpoint, tables, kept, apiKey } = options;
  const client = new DynamoDBClient({ endpoint, region: REGION, credentials: LOCAL_CREDENTIALS });
  try {
    const accounts = dynamodbAccounts({ client: documentClient(client), table: tables['accounts'] ?? '' });
    const organizations = (await accounts.organizations.list()).length;
    const counts = { organizations, ...(await releaseKeptWork(client, tables)) };
    const orgId = await organizationId(accounts, kept?.org_id);
    const api_key = apiKey ?? (await usableKey(accounts, kept?.api_key)) ?? newKey();
    await saveKey(accounts, orgId, api_key);
    return { org_id: orgId, api_key, kept: counts };
  } finally {
    client.destroy();
  }
}

async function organizationId(accounts: AccountEffects, kept: string | undefined): Promise<string> {
  if (kept !== undefined && (await accounts.organizations.find(kept))) return kept;
  const organization: Organization = {
    id: `org_${clock.newId().replaceAll('-', '')}`,
    name: 'Demo',
    plan: 'free',
    overrides,
    status: 'active',
    createdAt: clock.now(),
  };
  await accounts.organizations.save(organization);
  return organization.id;
}

/** The key, unless an operator has revoked it since. */
async function usableKey(accounts: AccountEffects, text: string | undefined): Promise<string | undefined> {
  const key = parseApiKey(text ?? '');
  const record = key && (await accounts.keys.find(key.id));
  return record?.status === 'active' ? text : undefined;
}

const newKey = () => createApiKey('test', randomBytes).text;

async function saveKey(accounts: AccountEffects, orgId: string, text: string): Promise<void> {
  const key = parseApiKey(text);
  if (key === undefined) throw new Error('API_KEY is not a key of this service.');
  const known = await accounts.keys.find(key.id);
  if (known?.status === 'revoked')
    throw new Error('API_KEY was revoked. Use another key, or start over with --fresh.');
  if (known) return;
  await accounts.keys.save({
    id: key.id,
    hash: hashApiKey(key),
    orgId,
    name: 'demo',
    last4: text.slice(-4),
    status: 'active',
    createdAt: clock.now(),
  });
}
