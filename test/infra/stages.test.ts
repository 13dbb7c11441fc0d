import { describe, expect, it } from 'vitest';
import { stages } from '../../infra/stages.ts';
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
  it('keeps below 450 resources a stack, of the 500 that CloudFormation takes', async () => {
    const { storage, service: one } = await synthesised({ stage: name, but: everyOption });
    expect(Math.max(...[storage, one].map((stack) => Object.keys(stack).length))).toBeLessThan(450);
  });
});

it('reserves concurrency where the stage says so, for workers as much as the queue may start', () => {
  expect(functionsWith(dev.service, 'ReservedConcurrentExecutions')).toEqual([]);
  expect(functionsWith(prod.service, 'ReservedConcurrentExecutions')).toEqual([
    ['Browser', 200],
    ['Worker', stages.prod.workerConcurrency],
  ]);
});

it('lets nobody delete the stacks of production', () => {
  expect([dev.storageStack, dev.serviceStack].map((it) => it.terminationProtection)).toEqual([false, false]);
  expect([prod.storageStack, prod.serviceStack].map((it) => it.terminationProtection)).toEqual([true, true]);
});

describe('tenant isolation', () => {
  it('is for the browser, whose callers are told of it', () => {
    expect(functionsWith(service, 'TenancyConfig')).toEqual([
      ['Browser', { TenantIsolationMode: 'PER_TENANT' }],
    ]);
    expect(['Scraper', 'Worker'].map(variablesOf)).toMatchObject(
      Array(2).fill({ BROWSER_TENANCY: 'PER_TENANT' }),
    );
  });

  it('is on in production, and off where it is not asked for', () => {
    expect(functionsWith(prod.service, 'TenancyConfig')).toHaveLength(1);
    expect(JSON.stringify(dev.service)).not.toMatch(/TenancyConfig|TENANCY/);
  });
});

describe('the firewall', () => {
  const acl = ofType(service, 'AWS::WAFv2::WebACL')[0]?.[1].Properties;
  const rules = acl?.Rules as { Name: string; Statement: Record<string, object>; Action?: object }[];

  it('stands before the stage of the API', () => {
    const [, association] = ofType(service, 'AWS::WAFv2::WebACLAssociation')[0] ?? [];
    expect(JSON.stringify(association?.Properties.ResourceArn)).toMatch(/restapis.*\/stages\//);
    expect(ofType(prod.service, 'AWS::WAFv2::WebACLAssociation')).toHaveLength(1);
    expect(ofType(dev.service, 'AWS::WAFv2::WebACL')).toEqual([]);
  });

  it('blocks addresses that send too much', () => {
    expect(rules.find(({ Name }) => Name === 'TooManyRequests')).toMatchObject({
      Action: { Block: {} },
      Statement: { RateBasedStatement: { AggregateKeyType: 'IP', Limit: 1_000, EvaluationWindowSec: 60 } },
    });
  });

  it('lets queries and bodies hold what looks like an attack, for they hold URLs', () => {
    const common = rules.find(({ Name }) => Name === 'AWSManagedRulesCommonRuleSet')?.Statement;
    const { RuleActionOverrides: overrides } = common?.ManagedRuleGroupStatement as {
      RuleActionOverrides: { Name: string; ActionToUse: object }[];
    };
    expect(overrides.map(({ ActionToUse }) => ActionToUse)).toEqual(overrides.map(() => ({ Count: {} })));
    expect(overrides.map(({ Name }) => Name)).toEqual(
      expect.arrayContaining(['GenericRFI_QUERYARGUMENTS', 'GenericRFI_BODY', 'SizeRestrictions_BODY']),
    );
  });

  it('keeps no samples of requests, for they hold keys', () => {
    expect(JSON.stringify(acl)).not.toContain('"SampledRequestsEnabled":true');
  });
});

describe('a name of the operator', () => {
  it('leads to the API, with the certificate given', () => {
    expect(ofType(service, 'AWS::ApiGateway::DomainName')[0]?.[1].Properties).toMatchObject({
      DomainName: 'scrape.example.com',
      RegionalCertificateArn: everyOption.domain.certificateArn,
      EndpointConfiguration: { Types: ['REGIONAL'] },
      SecurityPolicy: 'TLS_1_2',
    });
    const [, mapping] = ofType(service, 'AWS::ApiGateway::BasePathMapping')[0] ?? [];
    expect(named(mapping?.Properties.RestApiId)).toBe('Api');
  });

  it('is no more a target than the name that AWS gave', () => {
    for (const name of ['Scraper', 'Worker', 'Jobs', 'Browser']) {
      expect(JSON.stringify(variablesOf(name))).toMatch(/\.execute-api\..*,scrape\.example\.com"/);
    }
  });
});

describe('alarms', () => {
  it('are mailed to the operator, when they go off and when it is over', () => {
    expect(ofType(service, 'AWS::SNS::Subscription').map(([, { Properties }]) => Properties)).toMatchObject([
      { Protocol: 'email', Endpoint: 'operator@example.com' },
    ]);
    for (const [, { Properties }] of ofType(service, 'AWS::CloudWatch::Alarm')) {
      expect(named(Properties.AlarmActions)).toBe('AlarmsTopic');
      expect(named(Properties.OKActions)).toBe('AlarmsTopic');
    }
  });

  it('are there without an address too', () => {
    expect(ofType(dev.service, 'AWS::CloudWatch::Alarm').length).toBeGreaterThan(10);
    expect(JSON.stringify(dev.service)).not.toMatch(/AWS::SNS|AlarmActions/);
  });
});
