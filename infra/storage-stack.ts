import { type App, Stack } from 'aws-cdk-lib';
import { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { StageName } from './stage-names.ts';
import type { Stage } from './stages.ts';
import { resultsBucket } from './constructs/results-bucket.ts';
import {
  accountsTable,
  activityTable,
  jobsTable,
  type StoredTable,
  webhooksTable,
} from './constructs/tables.ts';
import { webhookKey } from './constructs/webhook-key.ts';

/** Everything that must outlive a deployment. */
export type Storage = {
  accounts: StoredTable;
  jobs: StoredTable;
  activity: StoredTable;
  webhooks: StoredTable;
  results: Bucket;
  webhookKey: Pick<Secret, 'secretArn'>;
};

/** Tables and bucket, in a separate stack that changes of code do not touch. */
export function storageStack(app: App, name: StageName, stage: Stage): Storage {
  const stack = new Stack(app, `sitefetch-${name}-storage`, {
    description: 'Sitefetch: accounts, activity, jobs, webhooks and results.',
    terminationProtection: stage.terminationProtection,
  });
  const { existingTables: existing } = stage;
  const kept = { results: resultsBucket(stack), webhookKey: webhookKey(stack, stage) };
  if (existing === undefined)
    return {
      accounts: accountsTable(stack, stage),
      jobs: jobsTable(stack, stage),
      activity: activityTable(stack, stage),
      webhooks: webhooksTable(stack, stage),
      ...kept,
    };
  return {
    accounts: Table.fromTableName(stack, 'Accounts', existing.accounts),
    jobs: Table.fromTableName(stack, 'Jobs', existing.jobs),
    activity:
      existing.activity === undefined
        ? activityTable(stack, stage)
        : Table.fromTableName(stack, 'Activity', existing.activity),
    webhooks:
      existing.webhooks === undefined
        ? webhooksTable(stack, stage)
        : Table.fromTableName(stack, 'Webhooks', existing.webhooks),
    ...kept,
  };
}
