import { describe, expect, it } from 'vitest';
import type { ZodType } from 'zod';
import { type FunctionName, environments } from '../../shared/config.ts';
import { slotWaitSeconds } from '../../shared/domain/job/backoff.ts';
import { JOB_DEADLINE_MS } from '../../shared/domain/job/timing.ts';
import { STAGE_LIMITS } from '../support/cage/stage-limits.ts';
import { named, ofType, type Resources, synthesised, the } from './synthesised.ts';

const { service } = await synthesised();
const { service: prod } = await synthesised({ stage: 'prod' });
const names = Object.keys(environments) as FunctionName[];

const idOf = (name: FunctionName) => name.charAt(0).toUpperCase() + name.slice(1);
const functionOf = (name: FunctionName) =>
  the(service, 'AWS::Lambda::Function', `${idOf(name)}Function`).Properties;

const WRITE_LOG = ['logs:CreateLogStream', 'logs:PutLogEvents'];
/** X-Ray knows no resources. */
const TRACED = { '*': ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'] };
/** Keys and organizations are only looked at. */
const METER = { Accounts: ['dynamodb:GetItem'], 'Accounts, USAGE#*': ['dynamodb:UpdateItem'] };
const CONSUME = [
  'sqs:ChangeMessageVisibility',
  'sqs:DeleteMessage',
  'sqs:GetQueueAttributes',
  'sqs:ReceiveMessage',
];

/** Every action of every function, in order of the alphabet, by what it may be done to. */
const permissions: Readonly<Record<FunctionName, Readonly<Record<string, readonly string[]>>>> = {
  scraper: { ...TRACED, ScraperLogs: WRITE_LOG, ...METER, BrowserFunction: ['lambda:InvokeFunction'] },
  jobs: {
    ...TRACED,
    JobsLogs: WRITE_LOG,
    ...METER,
    Jobs: ['dynamodb:GetItem', 'dynamodb:PutItem'],
    'Jobs, IDEMPOTENCY#*': ['dynamodb:DeleteItem'],
    'Results/results/*': ['s3:GetObject'],
    Results: ['s3:ListBucket'],
    Queue: ['sqs:SendMessage'],
  },
  worker: {
    ...TRACED,
    WorkerLogs: WRITE_LOG,
    ...METER,
    Jobs: ['dynamodb:GetItem', 'dynamodb:PutItem'],
    'Results/results/*': ['s3:AbortMultipartUpload', 's3:PutObject'],
    Queue: CONSUME,
    BrowserFunction: ['lambda:InvokeFunction'],
  },
  browser: { BrowserLogs: WRITE_LOG },
  sweeper: {
    ...TRACED,
    SweeperLogs: WRITE_LOG,
    ...METER,
    Jobs: ['dynamodb:GetItem', 'dynamodb:PutItem'],
    'Jobs/index/open': ['dynamodb:Query'],
    DeadLetters: CONSUME,
    Queue: ['sqs:SendMessage'],
  },
  meta: { ...TRACED, MetaLogs: WRITE_LOG },
};

type Statement = { Effect: string; Action: string | string[]; Resource: unknown; Condition?: unknown };

describe.each(names)('%s', (name) => {
  it.each([
    ['dev', service],
    ['prod', prod],
  ])('may do what it needs and nothing else in %s', (_stage, resources) => {
    expect(grantsOf(resources, name)).toEqual(permissions[name]);
  });

  it('has a role of its own without managed or inline policies', () => {
    const role = the(service, 'AWS::IAM::Role', `${idOf(name)}Role`).Properties;
    expect(Object.keys(role)).toEqual(['AssumeRolePolicyDocument']);
    expect(role.AssumeRolePolicyDocument).toMatchObject({
      Statement: [
        { Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' } },
      ],
    });
    expect(named(functionOf(name).Role)).toBe(`${idOf(name)}Role`);
  });

  it('gets the variables that its schema requires, and none that opens private targets', () => {
    const { Variables: variables = {} } = (functionOf(name).Environment ?? {}) as { Variables?: object };
    const shape: Readonly<Record<string, ZodType>> = environments[name].shape;
    const required = Object.entries(shape)
      .filter(([, schema]) => !schema.safeParse(undefined).success)
      .map(([variable]) => variable);
    expect(Object.keys(variables).sort()).toEqual(required.sort());
    expect(variables).not.toHaveProperty('EGRESS_ALLOW');
  });

  it('runs on Node 24, natively where it has native parts', () => {
    const isNative = ['scraper', 'worker', 'browser'].includes(name);
    expect(functionOf(name)).toMatchObject({
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
      Architectures: [isNative ? 'x86_64' : 'arm64'],
    });
  });

  it('logs to a group that forgets', () => {
    expect(named(functionOf(name).LoggingConfig)).toBe(`${idOf(name)}Logs`);
    expect(the(service, 'AWS::Logs::LogGroup', `${idOf(name)}Logs`).Properties.RetentionInDays).toBe(7);
  });
});

it('gives each function the time and memory that its work takes', () => {
  const sizes = names.map((name) => [name, functionOf(name).Timeout, functionOf(name).MemorySize]);
  expect(sizes).toEqual([
    ['scraper', 300, 1024],
    ['jobs', 300, 512],
    ['worker', 150, 2048],
    ['browser', 125, 2048],
    ['sweeper', 60, 512],
    ['meta', 10, 256],
  ]);
});

it('logs as JSON, and lines of Lambda itself only where something is wrong; of the browser all', () => {
  for (const name of names) {
    expect(functionOf(name).LoggingConfig, name).toMatchObject({
      LogFormat: 'JSON',
      SystemLogLevel: name === 'browser' ? 'INFO' : 'WARN',
    });
  }
});

it('traces every function but the browser, which may not send traces', () => {
  const traced = names.filter((name) => 'TracingConfig' in functionOf(name));
  expect(traced).toEqual(names.filter((name) => name !== 'browser'));
});

it('gives Chromium to the browser alone', () => {
  const withLayers = names.filter((name) => 'Layers' in functionOf(name));
  expect(withLayers).toEqual(['browser']);
  expect(functionOf('browser').EphemeralStorage).toEqual({ Size: STAGE_LIMITS.temporaryMb });
});

it('attaches no policy to a role but the ones above', () => {
  const attached = ofType(service, 'AWS::IAM::Policy').map(([id]) => id.replace(/RoleDefaultPolicy.*/, ''));
  expect(attached.sort()).toEqual(names.map(idOf).sort());
  expect(ofType(service, 'AWS::IAM::ManagedPolicy')).toEqual([]);
});

it('takes the buffered handlers when a template for local invocation is asked for', async () => {
  const buffered = await synthesised({ context: { buffered: 'true' } });
  expect(the(buffered.service, 'AWS::Lambda::Function', 'ScraperFunction').Properties.Handler).toBe(
    'index.buffered',
  );
  expect(the(buffered.service, 'AWS::Lambda::Function', 'WorkerFunction').Properties.Handler).toBe(
    'index.handler',
  );
});

describe('the queue', () => {
  const queue = the(service, 'AWS::SQS::Queue', 'Queue').Properties;

  it('hides a message for six timeouts of the worker, and keeps it four days', () => {
    expect(queue.VisibilityTimeout).toBe(6 * Number(functionOf('worker').Timeout));
    expect(queue.MessageRetentionPeriod).toBe(4 * 24 * 60 * 60);
  });

  it('hands what is received for longer than a job lives to the dead-letter queue', () => {
    const { maxReceiveCount } = queue.RedrivePolicy as { maxReceiveCount: number };
    expect(maxReceiveCount * slotWaitSeconds(0) * 1_000).toBeGreaterThan(JOB_DEADLINE_MS);
    expect(named(queue.RedrivePolicy)).toBe('DeadLetters');
    expect(the(service, 'AWS::SQS::Queue', 'DeadLetters').Properties.VisibilityTimeout).toBe(
      6 * Number(functionOf('sweeper').Timeout),
    );
  });

  it.each(['Queue', 'DeadLetters'])('%s is encrypted and refuses whoever comes without TLS', (name) => {
    expect(the(service, 'AWS::SQS::Queue', name).Properties.SqsManagedSseEnabled).toBe(true);
    expect(the(service, 'AWS::SQS::QueuePolicy', `${name}Policy`).Properties.PolicyDocument).toMatchObject({
      Statement: [
        { Effect: 'Deny', Action: 'sqs:*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
      ],
    });
  });

  it.each([
    ['Worker', 'Queue', 5],
    ['Sweeper', 'DeadLetters', 2],
  ])('calls %s with batches of %s, which it may acknowledge in part', (name, source, concurrency) => {
    const mapping = the(service, 'AWS::Lambda::EventSourceMapping', `${name}FunctionMessages`).Properties;
    expect(mapping).toMatchObject({
      BatchSize: 10,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: concurrency },
    });
    expect(named(mapping.EventSourceArn)).toBe(source);
    expect(named(mapping.FunctionName)).toBe(`${name}Function`);
  });
});

it('sweeps every minute', () => {
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
  return Object.fromEntries(
    statements.map(({ Resource, Action, Condition }) => [
      [named(Resource), ...leadingKeys(Condition)].join(', '),
      [Action].flat().sort(),
    ]),
  );
}

/** What the partition keys of the items must be like, where a statement says so. */
function leadingKeys(condition: unknown): string[] {
  if (condition === undefined) return [];
  const rule = condition as { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': string[] } };
  expect(condition).toMatchObject({ Null: { 'dynamodb:LeadingKeys': 'false' } });
  return rule['ForAllValues:StringLike']['dynamodb:LeadingKeys'];
}
