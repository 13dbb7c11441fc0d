import { type App, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import type { StageName } from './stage-names.ts';
import type { Stage } from './stages.ts';

/** Everything that must outlive a deployment. */
export type Storage = { accounts: StoredTable; jobs: StoredTable; results: Bucket };

/** A table that the stack created or imported. */
export type StoredTable = Pick<Table, 'tableName' | 'tableArn' | 'metric'>;

/** The indexes of each table. DynamoDB throttles and counts an index separately. */
export const indexes = { accounts: ['by_org'], jobs: ['open'] } as const;

/** Tables and bucket, in a separate stack that changes of code do not touch. */
export function storageStack(app: App, name: StageName, stage: Stage): Storage {
  const stack = new Stack(app, `sitefetch-${name}-storage`, {
    description: 'Sitefetch: accounts, jobs and results.',
    terminationProtection: stage.terminationProtection,
  });
  const { existingTables: existing } = stage;
  const results = resultsBucket(stack);
  if (existing === undefined)
    return { accounts: accountsTable(stack, stage), jobs: jobsTable(stack, stage), results };
  return {
    accounts: Table.fromTableName(stack, 'Accounts', existing.accounts),
    jobs: Table.fromTableName(stack, 'Jobs', existing.jobs),
    results,
  };
}

function accountsTable(stack: Stack, stage: Stage): Table {
  // Only the months of usage by day have it. Everything else stays.
  const table = onDemandTable(stack, 'Accounts', stage, 'forget_at');
  table.addGlobalSecondaryIndex({
    indexName: indexes.accounts[0],
    partitionKey: { name: 'org_id', type: AttributeType.STRING },
    sortKey: { name: 'pk', type: AttributeType.STRING },
  });
  return table;
}

function jobsTable(stack: Stack, stage: Stage): Table {
  const table = onDemandTable(stack, 'Jobs', stage, 'expires_at');
  // Sparse: only unfinished jobs have open_shard, so that the sweeper never reads finished ones.
  table.addGlobalSecondaryIndex({
    indexName: indexes.jobs[0],
    partitionKey: { name: 'open_shard', type: AttributeType.STRING },
    sortKey: { name: 'due_at', type: AttributeType.STRING },
  });
  return table;
}

function onDemandTable(stack: Stack, id: string, { tables }: Stage, timeToLiveAttribute?: string): Table {
  return new Table(stack, id, {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    billingMode: BillingMode.PAY_PER_REQUEST,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    ...(timeToLiveAttribute === undefined ? {} : { timeToLiveAttribute }),
    ...tables,
  });
}

function resultsBucket(stack: Stack): Bucket {
  const bucket = new Bucket(stack, 'Results', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    removalPolicy: RemovalPolicy.RETAIN,
    lifecycleRules: [
      {
        id: 'expire-results',
        prefix: 'results/',
        expiration: Duration.days(30),
        abortIncompleteMultipartUploadAfter: Duration.days(1),
      },
    ],
  });
  Validations.of(bucket).acknowledge({
    id: 'AwsSolutions-S1',
    reason: 'Only two functions can access the bucket, and each logs its reads and writes per request.',
  });
  return bucket;
}
