import type { AccountEffects } from '../../../ports/accounts.ts';
import { dynamodbUsage } from '../usage/dynamodb-usage.ts';
import type { UsageOptions } from '../usage/usage-item.ts';
import { dynamodbKeys } from './dynamodb-keys.ts';
import { dynamodbOrganizations } from './dynamodb-organizations.ts';

/** The ports on the table of accounts, with string key `pk` and index `by_org` (`org_id`, `pk`). */
export function dynamodbAccounts(options: UsageOptions): AccountEffects {
  return {
    keys: dynamodbKeys(options),
    organizations: dynamodbOrganizations(options),
    ...dynamodbUsage(options),
  };
}
