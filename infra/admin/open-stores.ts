import type { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import type { S3Client } from '@aws-sdk/client-s3';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { clock } from '../../shared/adapters/clock.ts';
import { discardUser } from '../../shared/adapters/cognito/user-pool.ts';
import { itemsUnder, organizationItems } from '../../shared/adapters/dynamodb/accounts/organization-items.ts';
import { cachePartition } from '../../shared/adapters/dynamodb/scrape/dynamodb-page-cache.ts';
import { organizationObjects } from '../../shared/adapters/s3-organization-objects.ts';
import type { Store } from '../../shared/ports/accounts.ts';

type Clients = { documents: DynamoDBDocumentClient; s3: S3Client; cognito: CognitoIdentityProviderClient };

export type StoreNames = {
  tables: Record<'accounts' | 'activity' | 'identity' | 'jobs' | 'webhooks', string>;
  bucket: string;
  userPoolId: string;
};

/** Everything that is stored for organizations. Jobs come first, so that work in progress ends. */
export function openStores(
  { documents: client, s3, cognito }: Clients,
  { tables, bucket, userPoolId }: StoreNames,
): Store[] {
  const { wait } = clock;
  const itemsIn = (table: string) => organizationItems({ client, table, wait });
  // The organization itself and its usage, whose slots say what still runs, go last.
  const keeps = (orgId: string) => [`ORG#${orgId}`, `USAGE#${orgId}`];
  return [
    itemsIn(tables.jobs),
    itemsIn(tables.webhooks),
    organizationObjects({ client: s3, bucket }),
    itemsUnder({ client, table: tables.activity, wait }, { kind: 'activity', partition: (orgId) => orgId }),
    itemsUnder({ client, table: tables.activity, wait }, { kind: 'cached_pages', partition: cachePartition }),
    withAccounts(itemsIn(tables.identity), (userId) => discardUser({ client: cognito, userPoolId }, userId)),
    organizationItems({ client, table: tables.accounts, wait, keeps }),
  ];
}

/** Members lose their accounts too, first: afterwards nothing would name them. */
function withAccounts(store: Store, discard: (userId: string) => Promise<void>): Store {
  return {
    ...store,
    remove: async (things) => {
      const [prefix, members] = ['USER#', things.filter(({ kind }) => kind === 'members')];
      for (const { key } of members) await discard(String(key['pk']).slice(prefix.length));
      await store.remove(things);
    },
  };
}
