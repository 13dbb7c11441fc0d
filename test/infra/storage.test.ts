import { App } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { sitefetch } from '../../infra/sitefetch.ts';
import { ofType, synthesised, the } from './synthesised.ts';

const { storage } = await synthesised();
const prod = await synthesised({ stage: 'prod' });

describe('the results bucket', () => {
  const bucket = the(storage, 'AWS::S3::Bucket', 'Results');

  it('expires results after 30 days and aborts uploads that nobody finished', () => {
    expect(bucket.Properties.LifecycleConfiguration).toEqual({
      Rules: [
        {
          Id: 'expire-results',
          Status: 'Enabled',
          Prefix: 'results/',
          ExpirationInDays: 30,
          AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
        },
      ],
    });
  });

  it('lets nothing in it become public', () => {
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

  it('is encrypted, and stays when its stack goes', () => {
    expect(bucket.Properties.BucketEncryption).toMatchObject({
      ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
    });
    expect(bucket.DeletionPolicy).toBe('Retain');
  });

  it('refuses whoever comes without TLS', () => {
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
});

describe('the tables', () => {
  it.each(['Accounts', 'Jobs'])('%s is on demand, with point-in-time recovery and a string key', (name) => {
    expect(the(storage, 'AWS::DynamoDB::Table', name).Properties).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    });
  });

  it('index keys by organization', () => {
    expect(the(storage, 'AWS::DynamoDB::Table', 'Accounts').Properties.GlobalSecondaryIndexes).toEqual([
      index('by_org', 'org_id', 'pk'),
    ]);
  });

  it('index jobs by what is due', () => {
    expect(the(storage, 'AWS::DynamoDB::Table', 'Jobs').Properties.GlobalSecondaryIndexes).toEqual([
      index('open', 'open_shard', 'due_at'),
    ]);
  });

  it('forget jobs by their expires_at, and accounts never', () => {
    expect(the(storage, 'AWS::DynamoDB::Table', 'Jobs').Properties.TimeToLiveSpecification).toEqual({
      AttributeName: 'expires_at',
      Enabled: true,
    });
    expect(the(storage, 'AWS::DynamoDB::Table', 'Accounts').Properties).not.toHaveProperty(
      'TimeToLiveSpecification',
    );
  });

  it('cannot be deleted by a deployment in production', () => {
    for (const [, table] of ofType(prod.storage, 'AWS::DynamoDB::Table')) {
      expect(table).toMatchObject({
        DeletionPolicy: 'Retain',
        Properties: { DeletionProtectionEnabled: true },
      });
    }
    expect(ofType(prod.storage, 'AWS::DynamoDB::Table')).toHaveLength(2);
  });
});

it('takes tables that are there already, and makes none', async () => {
  const existingTables = { accounts: 'accounts-restored', jobs: 'jobs-restored' };
  const { storage: kept, service } = await synthesised({ stage: 'prod', but: { existingTables } });
  expect(ofType(kept, 'AWS::DynamoDB::Table')).toEqual([]);
  const policies = JSON.stringify(ofType(service, 'AWS::IAM::Policy'));
  for (const arn of ['accounts-restored', 'jobs-restored', 'jobs-restored/index/open'])
    expect(policies).toContain(`:table/${arn}"`);
  const { Variables } = the(service, 'AWS::Lambda::Function', 'WorkerFunction').Properties.Environment as {
    Variables: object;
  };
  expect(Variables).toMatchObject({ ACCOUNTS_TABLE: 'accounts-restored', JOBS_TABLE: 'jobs-restored' });
});

it('refuses a stage that is not in the table', async () => {
  await expect(sitefetch(new App({ context: { stage: 'staging' } }))).rejects.toThrow(
    'The stage is one of dev, prod',
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
