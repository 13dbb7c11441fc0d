import { randomBytes } from 'node:crypto';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { WELL_FORMED_KEY } from '../../infra/constructs/firewall.ts';
import { readersOf } from '../../shared/domain/accounts/credits/admission.ts';
import { stages } from '../../infra/stages.ts';
import { createApiKey } from '../../shared/domain/accounts/api-key.ts';
import { limitsOf } from '../../shared/domain/accounts/credits/plan.ts';
import { everyOption, named, ofType, synthesised, the } from './synthesised.ts';

const dev = await synthesised();
const prod = await synthesised({ stage: 'prod' });
const { service } = await synthesised({ but: everyOption });

const functionsWith = (resources: typeof service, property: string) =>
  ofType(resources, 'AWS::Lambda::Function')
    .filter(([, { Properties }]) => property in Properties)
    .map(([id, { Properties }]) => [id.replace(/Function[0-9A-F]{8}$/, ''), Properties[property]]);
const variablesOf = (name: string) =>
  (the(service, 'AWS::Lambda::Function', `${name}Function`).Properties.Environment as { Variables: object })
    .Variables;

describe.each(['dev', 'prod'] as const)('%s', (name) => {
  test('has fewer than 450 resources a stack; CloudFormation allows 500', async () => {
    const {
      storage,
      service: one,
      identity,
      dashboard,
    } = await synthesised({ stage: name, but: everyOption });
    expect(
      Math.max(...[storage, one, identity, dashboard].map((stack) => Object.keys(stack).length)),
    ).toBeLessThan(450);
  });
});

/** Names that other stacks import from one, or that it exports. */
const exportsOf = (stack: Stack) =>
  Object.values((Template.fromStack(stack).toJSON() as { Outputs?: Outputs }).Outputs ?? {}).flatMap(
    ({ Export }) => Export?.Name ?? [],
  );
const importsOf = (stack: Stack) =>
  [...JSON.stringify(Template.fromStack(stack).toJSON()).matchAll(/"Fn::ImportValue":"([^"]+)"/g)].map(
    ([, name]) => name,
  );
type Outputs = Readonly<Record<string, { Export?: { Name: string } }>>;

// CloudFormation deletes no export that another stack, which is deployed later, still imports.
test('exports the same with all options as with none, so that each can be set later', async () => {
  const [without, withAll] = [await synthesised(), await synthesised({ but: everyOption })];
  for (const [before, after] of [
    [without, withAll],
    [withAll, without],
  ] as const) {
    const kept = [after.storageStack, after.identityStack, after.serviceStack].flatMap(exportsOf);
    const imported = [before.serviceStack, before.dashboardStack].flatMap(importsOf);
    expect(imported.length).toBeGreaterThan(10);
    expect(kept).toEqual(expect.arrayContaining(imported));
  }
});

test('keeps the policy of each function well below its 20 KB', async () => {
  const all = await synthesised({ but: everyOption });
  for (const stack of [all.service, all.dashboard]) {
    const functions = ofType(stack, 'AWS::Lambda::Permission').map(([, { Properties }]) =>
      JSON.stringify(Properties.FunctionName),
    );
    for (const name of functions) expect(functions.filter((each) => each === name).length).toBeLessThan(20);
  }
});

test("lets the dashboard's pages, and no others, call the scraper alone", async () => {
  const url = 'https://abc123.execute-api.eu-central-1.amazonaws.com/dev';
  const { service: another } = await synthesised({ but: { dashboardUrl: url } });
  const withUrl = (resources: typeof service) =>
    functionsWith(resources, 'Environment').flatMap(([id, environment]) => {
      const { DASHBOARD_URL: value } = (environment as { Variables: Record<string, unknown> }).Variables;
      return value === undefined ? [] : [[id, value]];
    });
  expect(withUrl(service)).toEqual([['Scraper', 'https://account.example.com']]);
  expect(withUrl(another)).toEqual([['Scraper', url]]);
  expect(withUrl(dev.service)).toEqual([]);
});

test('the scraper knows the name for robots.txt, and whether callers may ignore it', async () => {
  const { service: another } = await synthesised({ but: { robotsToken: 'AcmeBot', mayIgnoreRobots: true } });
  const robotsOf = (resources: typeof service) => {
    const { Environment } = the(resources, 'AWS::Lambda::Function', 'ScraperFunction').Properties;
    const { ROBOTS_TOKEN, ROBOTS_IGNORE } = (Environment as { Variables: Record<string, unknown> }).Variables;
    return [ROBOTS_TOKEN, ROBOTS_IGNORE];
  };
  expect(robotsOf(another)).toEqual(['AcmeBot', 'allowed']);
  expect(robotsOf(prod.service)).toEqual([undefined, undefined]);
});

test('workers request one host of a crawl as often at once as the stage says', async () => {
  const { service: another } = await synthesised({ but: { hostConcurrency: 3, robotsToken: 'AcmeBot' } });
  const variablesOf = (resources: typeof service) => {
    const { Environment } = the(resources, 'AWS::Lambda::Function', 'WorkerFunction').Properties;
    const { HOST_CONCURRENCY, ROBOTS_TOKEN } = (Environment as { Variables: Record<string, unknown> })
      .Variables;
    return [HOST_CONCURRENCY, ROBOTS_TOKEN];
  };
  expect(variablesOf(another)).toEqual(['3', 'AcmeBot']);
  expect(variablesOf(prod.service)).toEqual(['8', undefined]);
});

test('reserves concurrency as the stage says, and enough workers for the queue', () => {
  expect(functionsWith(dev.service, 'ReservedConcurrentExecutions')).toEqual([]);
  expect(functionsWith(prod.service, 'ReservedConcurrentExecutions')).toEqual([
    ['Browser', 300],
    ['Scraper', 305],
    ['Worker', stages.prod.workerConcurrency],
    ['Jobs', 85],
    ['Batches', 45],
    ['Crawls', 45],
    ['Sweeper', 5],
    ['Notifier', stages.prod.notifierConcurrency],
    ['Mcp', 25],
    ['Meta', 5],
  ]);
});

test('keeps what strangers and slow readers can occupy from the other functions', () => {
  const { dashboard, meta, jobs, batches, crawls, mcp } = stages.prod.reservedConcurrency;
  expect([dashboard, meta].every((reserved) => reserved > 0)).toBe(true);
  const largest = limitsOf({ plan: 'business', overrides: {} });
  expect(readersOf(largest)).toBeLessThan(Math.min(jobs, batches, crawls) / 2);
  expect(readersOf(largest, { isWaiting: true })).toBeLessThan(mcp / 2);
});

test("leaves 100 of an account's 1,000 executions unreserved", () => {
  const reserved = Object.values(stages.prod.reservedConcurrency).reduce((sum, each) => sum + each, 0);
  expect(reserved).toBeLessThanOrEqual(1_000 - 100);
});

test('leaves most attempts to deliver events to other organizations', () => {
  for (const { notifierConcurrency, attemptsPerOrganization } of Object.values(stages))
    expect(attemptsPerOrganization).toBeLessThanOrEqual((notifierConcurrency * 10) / 4);
  for (const [name, { service: stack }] of [
    ['dev', dev],
    ['prod', prod],
  ] as const) {
    const [, environment] = functionsWith(stack, 'Environment').find(([id]) => id === 'Notifier') ?? [];
    expect(environment).toMatchObject({
      Variables: { ATTEMPTS_PER_ORGANIZATION: String(stages[name].attemptsPerOrganization) },
    });
  }
});

test('has browsers for all slots of the largest plan, and more', () => {
  const { concurrency } = limitsOf({ plan: 'business', overrides: {} });
  expect(stages.prod.reservedConcurrency.browser).toBeGreaterThan(concurrency);
  expect(stages.prod.reservedConcurrency.scraper).toBeGreaterThan(concurrency);
});

test('dev fits the 10 executions of a new account', () => {
  const consumers = ofType(dev.service, 'AWS::Lambda::EventSourceMapping').map(
    ([, { Properties }]) => (Properties.ScalingConfig as { MaximumConcurrency: number }).MaximumConcurrency,
  );
  // A rendered scrape takes two: scraper and browser.
  expect(consumers.reduce((sum, each) => sum + each, 0) + 2).toBeLessThanOrEqual(10);
});

test('keeps the logs of prod when its stack is deleted, but not the logs of dev', () => {
  const policies = ({ service: stack }: typeof dev) =>
    new Set(
      ofType(stack, 'AWS::Logs::LogGroup').map(
        ([id, { DeletionPolicy }]) => `${id.slice(0, 8)} ${DeletionPolicy}`,
      ),
    );
  expect([...policies(dev)].every((it) => it.endsWith('Delete'))).toBe(true);
  expect([...policies(prod)].filter((it) => !it.endsWith('RetainExceptOnCreate'))).toEqual([
    'Firewall Delete',
  ]);
});

test('protects the stacks of prod against deletion', () => {
  const protection = ({ app }: typeof dev) =>
    app.node.children.flatMap((it) => (it instanceof Stack ? [it.terminationProtection] : []));
  expect([protection(dev), protection(prod)]).toEqual([Array(4).fill(false), Array(4).fill(true)]);
});

test('a stage keeps pages for 30 days, or for as many as it says', async () => {
  const daysOf = ({ service: resources }: Pick<typeof dev, 'service'>) =>
    ofType(resources, 'AWS::Lambda::Function').flatMap(([, { Properties }]) => {
      const { Variables } = (Properties.Environment ?? {}) as { Variables?: { CACHE_DAYS?: string } };
      return Variables?.CACHE_DAYS ?? [];
    });
  expect(daysOf(prod)).toEqual(['30', '30']);
  expect(daysOf(await synthesised({ but: { cacheDays: 0 } }))).toEqual(['0', '0']);
});

test('tenant isolation applies to the browser, and its callers know', () => {
  expect(functionsWith(service, 'TenancyConfig')).toEqual([
    ['Browser', { TenantIsolationMode: 'PER_TENANT' }],
  ]);
  expect(['Scraper', 'Worker'].map(variablesOf)).toMatchObject(
    Array(2).fill({ BROWSER_TENANCY: 'PER_TENANT' }),
  );
});

test('synthesis warns if organizations need more environments than Lambda keeps', async () => {
  const warningsOf = ({ serviceStack: stack }: typeof prod) =>
    stack.node
      .findAll()
      .flatMap(({ node }) => node.metadata)
      .flatMap(({ type, data }) => (type === 'aws:cdk:warning' ? [String(data)] : []));
  expect(warningsOf(prod)).toEqual([]);
  const { organizations, pagesAtOnce } = stages.prod.expected;
  const more = await synthesised({
    stage: 'prod',
    but: { expected: { organizations: organizations + 1, pagesAtOnce } },
  });
  expect(warningsOf(more)).toEqual([
    expect.stringContaining('760 environments are expected (76 organizations, 10 pages each), but 300'),
  ]);
});

test('tenant isolation is on in prod and off in dev', () => {
  expect(functionsWith(prod.service, 'TenancyConfig')).toHaveLength(1);
  expect(JSON.stringify(dev.service)).not.toMatch(/TenancyConfig|TENANCY/);
});

const acl = ofType(service, 'AWS::WAFv2::WebACL')[0]?.[1].Properties;
const rules = acl?.Rules as { Name: string; Statement: Record<string, object>; Action?: object }[];

test('the firewall protects the stage of the API', () => {
  const [, association] = ofType(service, 'AWS::WAFv2::WebACLAssociation')[0] ?? [];
  expect(JSON.stringify(association?.Properties.ResourceArn)).toMatch(/restapis.*\/stages\//);
  expect(ofType(prod.service, 'AWS::WAFv2::WebACLAssociation')).toHaveLength(1);
  expect(ofType(dev.service, 'AWS::WAFv2::WebACL')).toEqual([]);
});

test('the firewall blocks addresses over the rate limit', () => {
  expect(rules.find(({ Name }) => Name === 'TooManyRequests')).toMatchObject({
    Action: { Block: {} },
    Statement: { RateBasedStatement: { AggregateKeyType: 'IP', Limit: 100_000, EvaluationWindowSec: 60 } },
  });
});

test('the firewall allows one address the rate of the largest plan', () => {
  const { rpm, readsPerMinute } = limitsOf({ plan: 'business', overrides: {} });
  expect(stages.prod.firewall.requestsPerMinute).toBeGreaterThan(rpm + readsPerMinute);
});

test('the firewall allows an address fewer requests without a key, on every path', () => {
  const { Statement, Action } = rules.find(({ Name }) => Name === 'TooManyWithoutKey') ?? {};
  const rate = Statement?.RateBasedStatement as RateRule;
  expect([Action, rate.AggregateKeyType, rate.Limit]).toEqual([{ Block: {} }, 'IP', 600]);
  const {
    FieldToMatch: field,
    RegexString: pattern,
    TextTransformations: transformations,
  } = rate.ScopeDownStatement.NotStatement.Statement.RegexMatchStatement;
  expect(field).toEqual({ SingleHeader: { Name: 'authorization' } });
  expect(transformations).toEqual([{ Priority: 0, Type: 'LOWERCASE' }]);
  expect(pattern).toBe(WELL_FORMED_KEY);
});

test('the firewall recognises well-formed keys', () => {
  const isWellFormed = (header: string) => new RegExp(WELL_FORMED_KEY).test(header.toLowerCase());
  for (const mode of ['live', 'test'] as const) {
    const { text } = createApiKey(mode, randomBytes);
    expect([`Bearer ${text}`, `bearer  ${text} `].map(isWellFormed)).toEqual([true, true]);
    const wrong = [
      '',
      text,
      `Basic ${text}`,
      `Bearer ${text.slice(1)}`,
      `Bearer ${text}x`,
      'Bearer sf_live_',
    ];
    expect(wrong.map(isWellFormed)).toEqual(wrong.map(() => false));
  }
});

test('the firewall logs blocked requests without keys and targets', () => {
  const logging = ofType(service, 'AWS::WAFv2::LoggingConfiguration')[0]?.[1].Properties;
  expect(logging).toMatchObject({
    LoggingFilter: {
      DefaultBehavior: 'DROP',
      Filters: [{ Behavior: 'KEEP', Conditions: [{ ActionCondition: { Action: 'BLOCK' } }] }],
    },
    RedactedFields: [{ SingleHeader: { Name: 'authorization' } }, { QueryString: {} }],
  });
  const [, group] = ofType(service, 'AWS::Logs::LogGroup').find(([id]) => id.startsWith('Firewall')) ?? [];
  expect(JSON.stringify(logging?.LogDestinationConfigs)).toContain(
    `:log-group:${String(group?.Properties.LogGroupName)}"`,
  );
});

test('the firewall only counts matches in queries and bodies, as they contain URLs', () => {
  const common = rules.find(({ Name }) => Name === 'AWSManagedRulesCommonRuleSet')?.Statement;
  const { RuleActionOverrides: overrides } = common?.ManagedRuleGroupStatement as {
    RuleActionOverrides: { Name: string; ActionToUse: object }[];
  };
  expect(overrides.map(({ ActionToUse }) => ActionToUse)).toEqual(overrides.map(() => ({ Count: {} })));
  expect(overrides.map(({ Name }) => Name)).toEqual(
    expect.arrayContaining(['GenericRFI_QUERYARGUMENTS', 'GenericRFI_BODY', 'SizeRestrictions_BODY']),
  );
});

test('the firewall samples no requests, as they contain keys', () => {
  expect(JSON.stringify(acl)).not.toContain('"SampledRequestsEnabled":true');
});

test("the operator's domain is the only host of the API and has its certificate", () => {
  expect(ofType(service, 'AWS::ApiGateway::DomainName')[0]?.[1].Properties).toMatchObject({
    DomainName: 'scrape.example.com',
    RegionalCertificateArn: everyOption.domain.certificateArn,
    EndpointConfiguration: { Types: ['REGIONAL'] },
    SecurityPolicy: 'TLS_1_2',
  });
  expect(the(service, 'AWS::ApiGateway::RestApi', 'Api').Properties.DisableExecuteApiEndpoint).toBe(true);
  expect(the(dev.service, 'AWS::ApiGateway::RestApi', 'Api').Properties.DisableExecuteApiEndpoint).not.toBe(
    true,
  );
  const [, mapping] = ofType(service, 'AWS::ApiGateway::BasePathMapping')[0] ?? [];
  expect(named(mapping?.Properties.RestApiId)).toBe('Api');
});

test("the operator's domain is not a valid target", () => {
  for (const name of ['Scraper', 'Worker', 'Jobs', 'Browser']) {
    expect(JSON.stringify(variablesOf(name))).toMatch(/\.execute-api\..*,scrape\.example\.com[",]/);
  }
});

test('alarms are mailed to the operator when they start and end', () => {
  expect(ofType(service, 'AWS::SNS::Subscription').map(([, { Properties }]) => Properties)).toMatchObject([
    { Protocol: 'email', Endpoint: 'operator@example.com' },
  ]);
  for (const [, { Properties }] of ofType(service, 'AWS::CloudWatch::Alarm')) {
    expect(named(Properties.AlarmActions)).toBe('AlarmsTopic');
    expect(named(Properties.OKActions)).toBe('AlarmsTopic');
  }
});

test('only CloudWatch of this account may publish', () => {
  const [, policy] = ofType(service, 'AWS::SNS::TopicPolicy')[0] ?? [];
  const { Statement: statements } = policy?.Properties.PolicyDocument as {
    Statement: { Effect: string }[];
  };
  expect(statements.filter(({ Effect }) => Effect === 'Allow')).toMatchObject([
    {
      Action: 'sns:Publish',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    },
  ]);
});

test('alarms exist without an address', () => {
  expect(ofType(dev.service, 'AWS::CloudWatch::Alarm').length).toBeGreaterThan(10);
  expect(JSON.stringify(dev.service)).not.toMatch(/AWS::SNS|AlarmActions/);
});

type RateRule = {
  AggregateKeyType: string;
  Limit: number;
  ScopeDownStatement: {
    NotStatement: {
      Statement: {
        RegexMatchStatement: { FieldToMatch: object; RegexString: string; TextTransformations: object[] };
      };
    };
  };
};
