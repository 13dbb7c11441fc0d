import type { Stack } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Stage } from '../stages.ts';

export type StoredTable = Pick<Table, 'tableName' | 'tableArn' | 'metric'>;

/** The indexes of each table. DynamoDB throttles and counts an index separately. */
export const indexes = { accounts: ['by_org'], jobs: ['open', 'by_org'], webhooks: ['due'] } as const;

export function accountsTable(stack: Stack, stage: Stage): Table {
  // Only the months of usage by day and keys of the playground have it. Everything else stays.
  const table = onDemandTable(stack, 'Accounts', stage, 'forget_at');
  table.addGlobalSecondaryIndex({
    indexName: indexes.accounts[0],
    ...keys('org_id', 'pk'),
  });
  return table;
}

export function jobsTable(stack: Stack, stage: Stage): Table {
  const table = onDemandTable(stack, 'Jobs', stage, 'expires_at');
  // Sparse: only unfinished jobs have open_shard, so that the sweeper never reads finished ones.
  table.addGlobalSecondaryIndex({
    indexName: indexes.jobs[0],
    ...keys('open_shard', 'due_at'),
  });
  // Keys alone, so that a change of a job writes nothing here.
  table.addGlobalSecondaryIndex({
    indexName: indexes.jobs[1],
    ...keys('job_of', 'pk'),
    projectionType: ProjectionType.KEYS_ONLY,
  });
  return table;
}

/** The scrapes of each organization by time. */
export function activityTable(stack: Stack, stage: Stage): Table {
  return onDemandTable(stack, 'Activity', stage, 'expires_at', 'sk');
}

/** Endpoints, deliveries, and attempts in progress. */
export function webhooksTable(stack: Stack, stage: Stage): Table {
  const table = onDemandTable(stack, 'Webhooks', stage, 'expires_at', 'sk');
  // Sparse, with keys alone: only pending deliveries have due_shard, and the sweeper reads them anyway.
  table.addGlobalSecondaryIndex({
    indexName: indexes.webhooks[0],
    ...keys('due_shard', 'due_at'),
    projectionType: ProjectionType.KEYS_ONLY,
  });
  return table;
}

/** A table with string key `pk` that is kept as the stage says. */
export function onDemandTable(
  stack: Stack,
  id: string,
  { tables }: Stage,
  timeToLiveAttribute?: string,
  sortKey?: string,
): Table {
  return new Table(stack, id, {
    ...keys('pk', sortKey),
    billingMode: BillingMode.PAY_PER_REQUEST,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    ...(timeToLiveAttribute === undefined ? {} : { timeToLiveAttribute }),
    ...tables,
  });
}

function keys(partition: string, sort?: string) {
  const text = (name: string) => ({ name, type: AttributeType.STRING });
  return { partitionKey: text(partition), ...(sort === undefined ? {} : { sortKey: text(sort) }) };
}
