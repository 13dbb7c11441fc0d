import { App } from 'aws-cdk-lib';
import { expect, test } from 'vitest';
import { sitefetch } from '../../infra/sitefetch.ts';
import { ofType, synthesised, the } from './synthesised.ts';

const { storage } = await synthesised();
const prod = await synthesised({ stage: 'prod' });

const bucket = the(storage, 'AWS::S3::Bucket', 'Results');

test('the results bucket expires results after 30 days and too large uploads after one, and aborts unfinished uploads', () => {
  expect(bucket.Properties.LifecycleConfiguration).toEqual({
    Rules: [
      {
        Id: 'expire-results',
        Status: 'Enabled',
        Prefix: 'results/',
        ExpirationInDays: 30,
        AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
      },
      {
        Id: 'expire-too-large-uploads',
        Status: 'Enabled',
        Prefix: 'results/',
        ObjectSizeGreaterThan: '1000000000',
        ExpirationInDays: 1,
      },
    ],
  });
});

test('the results bucket blocks all public access', () => {
  expect(bucket.Properties.PublicAccessBlockConfiguration).toEqual({
    BlockPublicAcls: true,
    BlockPublicPolicy: true,
    IgnorePublicAcls: true,
    RestrictPublicBuckets: true,
  });
  expect(bucket.Properties.OwnershipControls).toEqual({
    Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }],
  });
});

test('the results bucket is encrypted and outlives its stack', () => {
  expect(bucket.Properties.BucketEncryption).toMatchObject({
    ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
  });
  expect(bucket.DeletionPolicy).toBe('Retain');
});

test('the results bucket requires TLS', () => {
  expect(the(storage, 'AWS::S3::BucketPolicy', 'ResultsPolicy').Properties.PolicyDocument).toMatchObject({
    Statement: [
      {
        Effect: 'Deny',
        Action: 's3:*',
        Principal: { AWS: '*' },
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      },
    ],
  });
});

test.each(['Accounts', 'Jobs', 'Activity', 'Webhooks'])(
  '%s is on demand and has point-in-time recovery and a string key',
  (name) => {
    expect(the(storage, 'AWS::DynamoDB::Table', name).Properties).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      KeySchema: expect.arrayContaining([{ AttributeName: 'pk', KeyType: 'HASH' }]) as unknown,
    });
  },
);

test('the tables keep the activity of an organization together, by time', () => {
  expect(the(storage, 'AWS::DynamoDB::Table', 'Activity').Properties.KeySchema).toEqual([
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ]);
});

test('the tables index keys by organization', () => {
  expect(the(storage, 'AWS::DynamoDB::Table', 'Accounts').Properties.GlobalSecondaryIndexes).toEqual([
    index('by_org', 'org_id', 'pk'),
  ]);
});

test('the tables index jobs by due date and by organization', () => {
  expect(the(storage, 'AWS::DynamoDB::Table', 'Jobs').Properties.GlobalSecondaryIndexes).toEqual([
    index('open', 'open_shard', 'due_at'),
    { ...index('by_org', 'job_of', 'pk'), Projection: { ProjectionType: 'KEYS_ONLY' } },
  ]);
});

test('the tables index pending deliveries by due date, with keys alone', () => {
  const { KeySchema, GlobalSecondaryIndexes } = the(storage, 'AWS::DynamoDB::Table', 'Webhooks').Properties;
  expect(KeySchema).toEqual([
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ]);
  expect(GlobalSecondaryIndexes).toEqual([
    { ...index('due', 'due_shard', 'due_at'), Projection: { ProjectionType: 'KEYS_ONLY' } },
  ]);
});

test('the tables expire jobs, activity and deliveries by expires_at, and of accounts only the months of usage by day', () => {
  const expiry = (name: string) =>
    the(storage, 'AWS::DynamoDB::Table', name).Properties.TimeToLiveSpecification;
  expect(expiry('Jobs')).toEqual({ AttributeName: 'expires_at', Enabled: true });
  expect(expiry('Activity')).toEqual({ AttributeName: 'expires_at', Enabled: true });
  // No endpoint has this attribute.
  expect(expiry('Webhooks')).toEqual({ AttributeName: 'expires_at', Enabled: true });
  // No organization, key or current usage has this attribute.
  expect(expiry('Accounts')).toEqual({ AttributeName: 'forget_at', Enabled: true });
});

test('the tables cannot be deleted by a deployment in prod', () => {
  for (const [, table] of ofType(prod.storage, 'AWS::DynamoDB::Table')) {
    expect(table).toMatchObject({
      DeletionPolicy: 'Retain',
      Properties: { DeletionProtectionEnabled: true },
    });
  }
  expect(ofType(prod.storage, 'AWS::DynamoDB::Table')).toHaveLength(4);
});

test('uses existing tables instead of creating new ones', async () => {
  const existingTables = { accounts: 'accounts-restored', jobs: 'jobs-restored' };
  const { storage: kept, service } = await synthesised({ stage: 'prod', but: { existingTables } });
  expect(ofType(kept, 'AWS::DynamoDB::Table').map(([id]) => id)).toEqual([
    expect.stringMatching('Activity'),
    expect.stringMatching('Webhooks'),
  ]);
  const policies = JSON.stringify(ofType(service, 'AWS::IAM::Policy'));
  for (const arn of ['accounts-restored', 'jobs-restored', 'jobs-restored/index/open'])
    expect(policies).toContain(`:table/${arn}"`);
  const { Variables } = the(service, 'AWS::Lambda::Function', 'WorkerFunction').Properties.Environment as {
    Variables: object;
  };
  expect(Variables).toMatchObject({ ACCOUNTS_TABLE: 'accounts-restored', JOBS_TABLE: 'jobs-restored' });
});

test('uses existing tables of activity and webhooks too', async () => {
  const existingTables = {
    accounts: 'accounts-restored',
    jobs: 'jobs-restored',
    activity: 'activity-kept',
    webhooks: 'webhooks-kept',
    webhookKeyArn: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:kept-AbCdEf',
  };
  const { storage: kept, service } = await synthesised({ stage: 'prod', but: { existingTables } });
  expect(ofType(kept, 'AWS::DynamoDB::Table')).toEqual([]);
  expect(JSON.stringify(ofType(service, 'AWS::IAM::Policy'))).toContain(':table/activity-kept"');
  expect(JSON.stringify(ofType(service, 'AWS::IAM::Policy'))).toContain(':table/webhooks-kept"');
  expect(ofType(kept, 'AWS::SecretsManager::Secret')).toEqual([]);
  expect(JSON.stringify(ofType(service, 'AWS::IAM::Policy'))).toContain(existingTables.webhookKeyArn);
});

const key = the(storage, 'AWS::SecretsManager::Secret', 'WebhookKey');

test('the key of signing secrets is made by Secrets Manager, and is in no template', () => {
  expect(key.Properties.GenerateSecretString).toEqual({ PasswordLength: 64, ExcludePunctuation: true });
  expect(key.Properties).not.toHaveProperty('SecretString');
});

test('the key of signing secrets outlives its stack in prod', () => {
  const [[, kept] = []] = ofType(prod.storage, 'AWS::SecretsManager::Secret');
  expect(kept).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
});

test('refuses an unknown stage', async () => {
  await expect(sitefetch(new App({ context: { stage: 'staging' } }))).rejects.toThrow(
    'The stage must be dev or prod',
  );
});

function index(IndexName: string, partition: string, sort: string) {
  return {
    IndexName,
    KeySchema: [
      { AttributeName: partition, KeyType: 'HASH' },
      { AttributeName: sort, KeyType: 'RANGE' },
    ],
    Projection: { ProjectionType: 'ALL' },
  };
}
