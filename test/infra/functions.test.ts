import { describe, expect, test } from 'vitest';
import type { ZodType } from 'zod';
import { ABANDONED_MS } from '../../functions/sweeper/slots.ts';
import { type FunctionName, environments } from '../../shared/config.ts';
import { JOB_DEADLINE_MS } from '../../shared/domain/jobs/timing.ts';
import { STAGE_LIMITS } from '../support/cage/stage-limits.ts';
import { named, ofType, type Resources, someModel, synthesised, the } from './synthesised.ts';
import { slotWaitSeconds } from '../../shared/domain/work/attempts.ts';

const { service, dashboard } = await synthesised();
const { service: withModel } = await synthesised({ but: { model: someModel } });
const { service: prodWithModel } = await synthesised({ stage: 'prod', but: { model: someModel } });
const { service: prod, dashboard: prodDashboard } = await synthesised({ stage: 'prod' });
const names = Object.keys(environments) as FunctionName[];

const idOf = (name: FunctionName) => name.charAt(0).toUpperCase() + name.slice(1);
const functionOf = (name: FunctionName) =>
  the(stackOf(name), 'AWS::Lambda::Function', `${idOf(name)}Function`).Properties;
/** The dashboard has a stack of its own. */
const stackOf = (name: FunctionName) => stackIn({ service, dashboard, model: withModel }, name);
const stackIn = (stacks: Stacks, name: FunctionName) =>
  name === 'dashboard' || name === 'model' ? stacks[name] : stacks.service;
type Stacks = Readonly<Record<'service' | 'dashboard' | 'model', Resources>>;

const WRITE_LOG = ['logs:CreateLogStream', 'logs:PutLogEvents'];
/** X-Ray actions support no resources. */
const TRACED = { '*': ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'] };
/** One line per finished scrape. */
const READ_AND_WRITE = ['dynamodb:GetItem', 'dynamodb:PutItem'];
/** Of functions that emit events, besides reading the endpoints. */
const EMIT = { 'Webhooks, DELIVERIES#*': ['dynamodb:PutItem'], Notices: ['sqs:SendMessage'] };
const METER = { Accounts: ['dynamodb:GetItem'], 'Accounts, USAGE#*': ['dynamodb:UpdateItem'] };
const CONSUME = [
  'sqs:ChangeMessageVisibility',
  'sqs:DeleteMessage',
  'sqs:GetQueueAttributes',
  'sqs:ReceiveMessage',
];

/** Of functions whose responses link to pictures. */
const PICTURES = { 'Results/results/*/pictures/*': ['s3:AbortMultipartUpload', 's3:PutObject'] };

/** Every permitted action of every function, sorted, by resource. */
const permissions: Readonly<Record<FunctionName, Readonly<Record<string, readonly string[]>>>> = {
  scraper: {
    ...TRACED,
    ScraperLogs: WRITE_LOG,
    ...METER,
    Activity: READ_AND_WRITE,
    'Activity, CACHE#*': ['dynamodb:DeleteItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
    'Results/results/*': ['s3:GetObject'],
    'Results/results/*/cache/*': ['s3:AbortMultipartUpload', 's3:DeleteObject', 's3:PutObject'],
    ...PICTURES,
    Results: ['s3:ListBucket'],
    BrowserFunction: ['lambda:InvokeFunction'],
    Queue: ['sqs:SendMessage'],
    Notices: ['sqs:SendMessage'],
  },
  jobs: {
    ...TRACED,
    JobsLogs: WRITE_LOG,
    ...METER,
    'Accounts, WAITING#*': ['dynamodb:PutItem'],
    Activity: READ_AND_WRITE,
    Jobs: ['dynamodb:BatchGetItem', 'dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem'],
    'Jobs, BATCH#*': ['dynamodb:UpdateItem'],
    'Jobs/index/by_org': ['dynamodb:Query'],
    'Results/results/*': ['s3:DeleteObject', 's3:GetObject'],
    Results: ['s3:ListBucket'],
    Queue: ['sqs:SendMessage'],
    'Webhooks, ENDPOINTS#*': ['dynamodb:GetItem', 'dynamodb:Query'],
    ...EMIT,
  },
  batches: {
    ...TRACED,
    BatchesLogs: WRITE_LOG,
    ...METER,
    'Accounts, WAITING#*': ['dynamodb:PutItem'],
    Activity: READ_AND_WRITE,
    Jobs: ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:PutItem'],
    'Jobs, BATCH#*': ['dynamodb:UpdateItem'],
    'Jobs/index/by_org': ['dynamodb:Query'],
    'Results/results/*': ['s3:GetObject'],
    'Jobs/index/open, UPLOADS#*': ['dynamodb:Query'],
    'Results/results/*/requests.ndjson': ['s3:AbortMultipartUpload', 's3:DeleteObject', 's3:PutObject'],
    ...PICTURES,
    Results: ['s3:ListBucket'],
    Queue: ['sqs:SendMessage'],
    'Webhooks, ENDPOINTS#*': ['dynamodb:GetItem', 'dynamodb:Query'],
    ...EMIT,
  },
  crawls: {
    ...TRACED,
    CrawlsLogs: WRITE_LOG,
    ...METER,
    'Accounts, WAITING#*': ['dynamodb:PutItem'],
    Activity: READ_AND_WRITE,
    Jobs: ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:PutItem'],
    'Jobs, BATCH#*': ['dynamodb:UpdateItem'],
    'Jobs/index/by_org': ['dynamodb:Query'],
    'Results/results/*': ['s3:GetObject'],
    ...PICTURES,
    Results: ['s3:ListBucket'],
    Queue: ['sqs:SendMessage'],
    'Webhooks, ENDPOINTS#*': ['dynamodb:GetItem', 'dynamodb:Query'],
    ...EMIT,
  },
  worker: {
    ...TRACED,
    WorkerLogs: WRITE_LOG,
    ...METER,
    'Accounts, WAITING#*': ['dynamodb:PutItem'],
    Activity: READ_AND_WRITE,
    'Activity, CACHE#*': ['dynamodb:UpdateItem'],
    Jobs: ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:PutItem'],
    'Jobs, BATCH#*': ['dynamodb:UpdateItem'],
    'Jobs/index/open': ['dynamodb:Query'],
    'Results/results/*': ['s3:AbortMultipartUpload', 's3:DeleteObject', 's3:GetObject', 's3:PutObject'],
    Results: ['s3:ListBucket'],
    Queue: [...CONSUME, 'sqs:SendMessage'],
    'Webhooks, ENDPOINTS#*': ['dynamodb:Query'],
    ...EMIT,
    BrowserFunction: ['lambda:InvokeFunction'],
  },
  browser: { BrowserLogs: WRITE_LOG },
  model: {
    ...TRACED,
    ModelLogs: WRITE_LOG,
    [someModel.secretArn]: ['secretsmanager:GetSecretValue'],
  },
  sweeper: {
    ...TRACED,
    SweeperLogs: WRITE_LOG,
    ...METER,
    'Accounts, WAITING#*': ['dynamodb:DeleteItem'],
    'Accounts/index/by_org, #waiting': ['dynamodb:Query'],
    Activity: ['dynamodb:PutItem'],
    Jobs: ['dynamodb:BatchGetItem', 'dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem'],
    'Jobs, BATCH#*': ['dynamodb:UpdateItem'],
    'Jobs/index/open': ['dynamodb:Query'],
    DeadLetters: CONSUME,
    Queue: ['sqs:SendMessage'],
    'Webhooks, ENDPOINTS#*': ['dynamodb:Query'],
    'Webhooks/index/due': ['dynamodb:Query'],
    ...EMIT,
    'Webhooks, DELIVERIES#*': ['dynamodb:GetItem', 'dynamodb:PutItem'],
  },
  account: { ...TRACED, AccountLogs: WRITE_LOG, ...METER, Activity: ['dynamodb:GetItem', 'dynamodb:Query'] },
  webhooks: {
    ...TRACED,
    WebhooksLogs: WRITE_LOG,
    ...METER,
    Activity: ['dynamodb:GetItem'],
    Webhooks: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query'],
    'Webhooks, ENDPOINTS#*': ['dynamodb:DeleteItem'],
    Notices: ['sqs:SendMessage'],
    RefWebhookKey: ['secretsmanager:GetSecretValue'],
  },
  notifier: {
    ...TRACED,
    NotifierLogs: WRITE_LOG,
    ...METER,
    'Jobs, BATCH#*, CRAWL#*': ['dynamodb:GetItem'],
    Results: ['s3:ListBucket'],
    'Results/results/*': ['s3:GetObject'],
    'Results/results/*/pictures/*': ['s3:AbortMultipartUpload', 's3:PutObject'],
    Webhooks: ['dynamodb:GetItem', 'dynamodb:PutItem'],
    'Webhooks, ENDPOINTS#*': ['dynamodb:Query'],
    'Webhooks, RECEIVER#*': ['dynamodb:UpdateItem'],
    Notices: [...CONSUME, 'sqs:SendMessage'],
    RefWebhookKey: ['secretsmanager:GetSecretValue'],
  },
  mcp: { ...TRACED, McpLogs: WRITE_LOG, ...METER, Activity: ['dynamodb:GetItem'] },
  meta: { ...TRACED, MetaLogs: WRITE_LOG },
  dashboard: {
    ...TRACED,
    DashboardLogs: WRITE_LOG,
    Accounts: ['dynamodb:GetItem'],
    'Accounts, KEY#*, ORG#*': ['dynamodb:PutItem'],
    'Accounts, USAGE#*, ORG#*': ['dynamodb:UpdateItem'],
    'Accounts/index/by_org': ['dynamodb:Query'],
    Activity: ['dynamodb:PutItem', 'dynamodb:Query'],
    Jobs: ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:PutItem'],
    'Jobs, BATCH#*': ['dynamodb:UpdateItem'],
    'Jobs/index/by_org': ['dynamodb:Query'],
    'Results/results/*': ['s3:GetObject'],
    Webhooks: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query'],
    'Webhooks, ENDPOINTS#*': ['dynamodb:DeleteItem'],
    Queue: ['sqs:SendMessage'],
    Notices: ['sqs:SendMessage'],
    RefWebhookKey: ['secretsmanager:GetSecretValue'],
    Identity: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
    'Identity/index/by_org': ['dynamodb:Query'],
    Users: ['cognito-idp:AdminDeleteUser', 'cognito-idp:AdminGetUser', 'cognito-idp:DescribeUserPoolClient'],
  },
};

type Statement = { Effect: string; Action: string | string[]; Resource: unknown; Condition?: unknown };

describe.each(names)('%s', (name) => {
  test.each([
    ['dev', stackOf(name)],
    ['prod', stackIn({ service: prod, dashboard: prodDashboard, model: prodWithModel }, name)],
  ])('has only the permissions that it needs in %s', (_stage, resources) => {
    expect(grantsOf(resources, name)).toEqual(permissions[name]);
  });

  test('has its own role without managed or inline policies', () => {
    const role = the(stackOf(name), 'AWS::IAM::Role', `${idOf(name)}Role`).Properties;
    expect(Object.keys(role)).toEqual(['AssumeRolePolicyDocument']);
    expect(role.AssumeRolePolicyDocument).toMatchObject({
      Statement: [
        { Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' } },
      ],
    });
    expect(named(functionOf(name).Role)).toBe(`${idOf(name)}Role`);
  });

  test('gets exactly the variables that its schema requires, and none that allows private targets', () => {
    const { Variables: variables = {} } = (functionOf(name).Environment ?? {}) as { Variables?: object };
    const shape: Readonly<Record<string, ZodType>> = environments[name].shape;
    const required = Object.entries(shape)
      .filter(([, schema]) => !schema.safeParse(undefined).success)
      .map(([variable]) => variable);
    // Every variable of the model is of one kind or the other.
    if (name !== 'model') expect(Object.keys(variables).sort()).toEqual(required.sort());
    expect(variables).not.toHaveProperty('EGRESS_ALLOW');
  });

  test('runs on Node 24, on x86_64 if it has native code', () => {
    const isNative = ['scraper', 'worker', 'browser'].includes(name);
    expect(functionOf(name)).toMatchObject({
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
      Architectures: [isNative ? 'x86_64' : 'arm64'],
    });
  });

  test('logs to a group with a retention', () => {
    expect(named(functionOf(name).LoggingConfig)).toBe(`${idOf(name)}Logs`);
    expect(the(stackOf(name), 'AWS::Logs::LogGroup', `${idOf(name)}Logs`).Properties.RetentionInDays).toBe(7);
  });
});

test('ends a submit before the sweeper frees the slot that it took', () => {
  expect(Number(functionOf('jobs').Timeout) * 1_000).toBeLessThan(ABANDONED_MS);
});

test('gives each function its timeout and memory', () => {
  const sizes = names.map((name) => [name, functionOf(name).Timeout, functionOf(name).MemorySize]);
  expect(sizes).toEqual([
    ['scraper', 300, 1024],
    ['jobs', 300, 512],
    ['batches', 300, 1_024],
    ['crawls', 300, 1_024],
    ['worker', 600, 2048],
    ['browser', 125, 2048],
    ['model', 125, 512],
    ['sweeper', 60, 512],
    ['account', 30, 512],
    ['webhooks', 30, 512],
    ['notifier', 300, 512],
    ['mcp', 120, 1_024],
    ['meta', 10, 256],
    ['dashboard', 20, 512],
  ]);
});

test("logs JSON, and Lambda's own lines only as warnings, except for the browser", () => {
  for (const name of names) {
    expect(functionOf(name).LoggingConfig, name).toMatchObject({
      LogFormat: 'JSON',
      SystemLogLevel: name === 'browser' ? 'INFO' : 'WARN',
    });
  }
});

test('traces every function except the browser', () => {
  const traced = names.filter((name) => 'TracingConfig' in functionOf(name));
  expect(traced).toEqual(names.filter((name) => name !== 'browser'));
});

test('gives Chromium to the browser only', () => {
  const withLayers = names.filter((name) => 'Layers' in functionOf(name));
  expect(withLayers).toEqual(['browser']);
  expect(functionOf('browser').EphemeralStorage).toEqual({ Size: STAGE_LIMITS.temporaryMb });
});

test('attaches no other policies to roles', () => {
  const attached = [withModel, dashboard]
    .flatMap((stack) => ofType(stack, 'AWS::IAM::Policy'))
    .map(([id]) => id.replace(/RoleDefaultPolicy.*/, ''));
  expect(attached.sort()).toEqual(names.map(idOf).sort());
  expect(ofType(service, 'AWS::IAM::ManagedPolicy')).toEqual([]);
});

test('uses the buffered handlers in a template for local invocation', async () => {
  const buffered = await synthesised({ context: { buffered: 'true' } });
  expect(the(buffered.service, 'AWS::Lambda::Function', 'ScraperFunction').Properties.Handler).toBe(
    'index.buffered',
  );
  expect(the(buffered.service, 'AWS::Lambda::Function', 'WorkerFunction').Properties.Handler).toBe(
    'index.handler',
  );
});

const queue = the(service, 'AWS::SQS::Queue', 'Queue').Properties;

test('the queue hides a message for six worker timeouts, and keeps it until it is a dead letter', () => {
  expect(queue.VisibilityTimeout).toBe(6 * Number(functionOf('worker').Timeout));
  const { maxReceiveCount } = queue.RedrivePolicy as { maxReceiveCount: number };
  expect(queue.MessageRetentionPeriod).toBeGreaterThan(maxReceiveCount * Number(queue.VisibilityTimeout));
});

test("the queue moves messages to the dead-letter queue only after a job's deadline", () => {
  const { maxReceiveCount } = queue.RedrivePolicy as { maxReceiveCount: number };
  expect(maxReceiveCount * slotWaitSeconds(0) * 1_000).toBeGreaterThan(JOB_DEADLINE_MS);
  expect(named(queue.RedrivePolicy)).toBe('DeadLetters');
  expect(the(service, 'AWS::SQS::Queue', 'DeadLetters').Properties.VisibilityTimeout).toBe(
    6 * Number(functionOf('sweeper').Timeout),
  );
});

test.each(['Queue', 'DeadLetters'])('%s is encrypted and requires TLS', (name) => {
  expect(the(service, 'AWS::SQS::Queue', name).Properties.SqsManagedSseEnabled).toBe(true);
  expect(the(service, 'AWS::SQS::QueuePolicy', `${name}Policy`).Properties.PolicyDocument).toMatchObject({
    Statement: [{ Effect: 'Deny', Action: 'sqs:*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }],
  });
});

test.each([
  ['Worker', 'Queue', 4],
  ['Notifier', 'Notices', 2],
  ['Sweeper', 'DeadLetters', 2],
])('the queue invokes %s with batches of %s, which may fail in part', (name, source, concurrency) => {
  const mapping = the(service, 'AWS::Lambda::EventSourceMapping', `${name}FunctionMessages`).Properties;
  expect(mapping).toMatchObject({
    BatchSize: 10,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    ScalingConfig: { MaximumConcurrency: concurrency },
  });
  expect(named(mapping.EventSourceArn)).toBe(source);
  expect(named(mapping.FunctionName)).toBe(`${name}Function`);
});

test('sweeps every minute', () => {
  const rule = the(service, 'AWS::Events::Rule', 'EveryMinute').Properties;
  expect(rule).toMatchObject({ ScheduleExpression: 'rate(1 minute)', State: 'ENABLED' });
  expect(named(rule.Targets)).toBe('SweeperFunction');
});

function grantsOf(resources: Resources, name: FunctionName): Record<string, string[]> {
  const policies = ofType(resources, 'AWS::IAM::Policy').filter(
    ([, { Properties }]) => named(Properties.Roles) === `${idOf(name)}Role`,
  );
  const statements = policies.flatMap(
    ([, { Properties }]) => (Properties.PolicyDocument as { Statement: Statement[] }).Statement,
  );
  expect(statements.map(({ Effect }) => Effect)).toEqual(statements.map(() => 'Allow'));
  // Equal actions on several resources are one statement.
  const granted = statements.flatMap(({ Resource, Action, Condition }) =>
    [Resource].flat().map((resource) => ({
      name: [named(resource), ...leadingKeys(Condition)].join(', '),
      actions: [Action].flat(),
    })),
  );
  const byName = Map.groupBy(granted, ({ name }) => name);
  return Object.fromEntries(
    [...byName].map(([name, all]) => [name, all.flatMap(({ actions }) => actions).sort()]),
  );
}

/** The pattern of partition keys in a statement's condition. */
function leadingKeys(condition: unknown): string[] {
  if (condition === undefined) return [];
  const rule = condition as { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': string[] } };
  expect(condition).toMatchObject({ Null: { 'dynamodb:LeadingKeys': 'false' } });
  return rule['ForAllValues:StringLike']['dynamodb:LeadingKeys'];
}
