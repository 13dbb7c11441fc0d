import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { pageRoutes } from '../../shared/api/page-routes.ts';
import { everyOption, named, ofType, synthesised, the } from './synthesised.ts';

const dev = await synthesised();
const prod = await synthesised({ stage: 'prod' });
const all = await synthesised({
  stage: 'prod',
  but: { ...everyOption, signUp: { domains: ['a.example', 'b.example'] } },
});

type GatewayResponse = {
  ResponseType: string;
  StatusCode: string;
  ResponseTemplates: { 'application/json': string };
  ResponseParameters: Record<string, string>;
};

const variablesOf = ({ dashboard }: typeof dev) =>
  (
    the(dashboard, 'AWS::Lambda::Function', 'DashboardFunction').Properties.Environment as {
      Variables: object;
    }
  ).Variables;

const pool = (of: typeof dev) => the(of.identity, 'AWS::Cognito::UserPool', 'Users');

test('the user pool signs in by address, confirms it, and has the password policy of the code', () => {
  expect(pool(dev).Properties).toMatchObject({
    UserPoolTier: 'ESSENTIALS',
    UsernameAttributes: ['email'],
    UsernameConfiguration: { CaseSensitive: false },
    AutoVerifiedAttributes: ['email'],
    AccountRecoverySetting: { RecoveryMechanisms: [{ Name: 'verified_email', Priority: 1 }] },
    Policies: { PasswordPolicy: { MinimumLength: 12, RequireNumbers: false } },
  });
});

test('the user pool outlives its stack in prod', () => {
  expect([pool(prod).DeletionPolicy, pool(prod).Properties.DeletionProtection]).toEqual(['Retain', 'ACTIVE']);
  expect(pool(dev).DeletionPolicy).toBe('Delete');
});

test('the user pool has one client, with a secret, that does not reveal which addresses have an account', () => {
  const clients = ofType(dev.identity, 'AWS::Cognito::UserPoolClient').map(
    ([, { Properties }]) => Properties,
  );
  expect(clients).toMatchObject([
    {
      GenerateSecret: true,
      PreventUserExistenceErrors: 'ENABLED',
      EnableTokenRevocation: true,
      ExplicitAuthFlows: ['ALLOW_USER_PASSWORD_AUTH', 'ALLOW_REFRESH_TOKEN_AUTH'],
      AccessTokenValidity: 5,
      RefreshTokenValidity: 60,
    },
  ]);
  expect(JSON.stringify(dev.dashboard)).not.toMatch(/ClientSecret/);
});

test('the user pool mails through SES where the stage names a sender, else by itself', () => {
  expect(pool(all).Properties.EmailConfiguration).toMatchObject({
    EmailSendingAccount: 'DEVELOPER',
    From: 'Sitefetch <no-reply@example.com>',
  });
  expect(pool(dev).Properties.EmailConfiguration).toEqual({ EmailSendingAccount: 'COGNITO_DEFAULT' });
});

test('the identity table expires its items, and outlives its stack in prod', () => {
  const table = the(prod.identity, 'AWS::DynamoDB::Table', 'Identity');
  expect(table.Properties).toMatchObject({
    TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    DeletionProtectionEnabled: true,
  });
  expect(table.DeletionPolicy).toBe('Retain');
});

test('no part of the API knows or reaches users, their tables, or the dashboard', () => {
  for (const { service } of [dev, prod, all])
    expect(JSON.stringify(service)).not.toMatch(
      /cognito-idp|USER_POOL|IDENTITY|sitefetch-\w+-(identity|dashboard)/,
    );
});

describe('the dashboard', () => {
  test('has an API of its own, with a path for each page and one for all others', () => {
    const resources = ofType(dev.dashboard, 'AWS::ApiGateway::Resource').map(
      ([, { Properties }]) => Properties.PathPart,
    );
    const folders = pageRoutes.flatMap(({ path }) => {
      const parts = path.split('/').filter(Boolean);
      return parts.map((_, depth) => parts.slice(0, depth + 1).join('/'));
    });
    const ends = [...new Set([...folders, '{proxy+}'])].map((folder) => folder.split('/').at(-1));
    expect(resources.sort()).toEqual(ends.sort());
    expect(the(dev.dashboard, 'AWS::ApiGateway::RestApi', 'Api').Properties).toMatchObject({
      Name: 'sitefetch-dev-dashboard',
      EndpointConfiguration: { Types: ['REGIONAL'] },
      SecurityPolicy: 'TLS_1_2',
    });
    for (const [, { Properties }] of ofType(dev.dashboard, 'AWS::ApiGateway::Method'))
      expect(named((Properties.Integration as { Uri: unknown }).Uri)).toBe('DashboardFunction/invocations');
    expect(ofType(dev.dashboard, 'AWS::ApiGateway::Account')).toEqual([]);
  });

  test('knows the policy of its stage and the URL of the API', () => {
    expect(variablesOf(dev)).toMatchObject({ SIGN_UP: 'open' });
    expect(variablesOf(prod)).toMatchObject({ SIGN_UP: 'invite' });
    expect(variablesOf(all)).toMatchObject({
      SIGN_UP: 'domains:a.example,b.example',
      API_URL: 'https://scrape.example.com',
    });
  });

  test('has the domain of its stage, which is no target of a scrape', () => {
    expect(ofType(all.dashboard, 'AWS::ApiGateway::DomainName')[0]?.[1].Properties).toMatchObject({
      DomainName: 'account.example.com',
      SecurityPolicy: 'TLS_1_2',
    });
    expect(the(all.dashboard, 'AWS::ApiGateway::RestApi', 'Api').Properties.DisableExecuteApiEndpoint).toBe(
      true,
    );
    const { Environment } = the(all.service, 'AWS::Lambda::Function', 'ScraperFunction').Properties;
    expect(JSON.stringify(Environment)).toContain(',account.example.com"');
  });

  describe('in errors of API Gateway itself', () => {
    const errorsOf = (stack: typeof dev) =>
      ofType(stack.dashboard, 'AWS::ApiGateway::GatewayResponse').map(
        ([, { Properties }]) => Properties as GatewayResponse,
      );

    test.each(errorsOf(dev))('$ResponseType is a page', ({ ResponseTemplates, StatusCode, ...it }) => {
      const page = ResponseTemplates['application/json'];
      expect(Object.keys(ResponseTemplates)).toEqual(['application/json']);
      expect(page).toMatch(/^<!doctype html>\s+<html lang="en">/);
      expect(page).toMatch(/<h1>[A-Z][\w ]+<\/h1>\s+<p>[A-Z][^<]{20,}\.<\/p>/);
      expect(page).toContain('<a href="/$context.stage/">');
      expect(page).not.toMatch(/<script|<link|<img|credit|API/);
      expect(page.length).toBeLessThan(1_500);
      // Any other would be replaced, or sent unchanged.
      expect(page.match(/\$[\w.]*/g)).toEqual(['$context.requestId', '$context.stage']);
      const [, style = ''] = /<style>(.*)<\/style>/s.exec(page) ?? [];
      const hash = createHash('sha256').update(style).digest('base64');
      expect(it.ResponseParameters).toMatchObject({
        'gatewayresponse.header.Content-Type': "'text/html; charset=utf-8'",
        'gatewayresponse.header.Content-Security-Policy': expect.stringMatching(
          /^'default-src 'none'; .*frame-ancestors 'none''$/,
        ) as string,
        'gatewayresponse.header.Cache-Control': "'no-store'",
        'gatewayresponse.header.X-Request-Id': 'context.requestId',
      });
      expect(it.ResponseParameters['gatewayresponse.header.Content-Security-Policy']).toContain(hash);
      expect(StatusCode).toMatch(/^(400|404|413|415|429|500|504)$/);
    });

    test('says when to try again, and has no stage in links behind a domain', () => {
      const throttled = errorsOf(dev).find(({ ResponseType }) => ResponseType === 'WAF_FILTERED');
      expect(throttled).toMatchObject({ StatusCode: '429' });
      expect(throttled?.ResponseParameters['gatewayresponse.header.Retry-After']).toBe("'60'");
      expect(errorsOf(all)[0]?.ResponseTemplates['application/json']).toContain('<a href="/">');
      expect(errorsOf(dev)).toHaveLength(ofType(dev.service, 'AWS::ApiGateway::GatewayResponse').length);
    });
  });

  test('has a firewall that limits addresses and blocks no form', () => {
    const acl = ofType(prod.dashboard, 'AWS::WAFv2::WebACL')[0]?.[1].Properties;
    const rules = acl?.Rules as { Name: string; Statement: object }[];
    expect(rules.map(({ Name }) => Name)).toEqual([
      'AWSManagedRulesAmazonIpReputationList',
      'AWSManagedRulesCommonRuleSet',
      'TooManyRequests',
    ]);
    expect(rules[2]?.Statement).toMatchObject({ RateBasedStatement: { AggregateKeyType: 'IP', Limit: 600 } });
    expect(ofType(prod.dashboard, 'AWS::WAFv2::WebACLAssociation')).toHaveLength(1);
    expect(ofType(dev.dashboard, 'AWS::WAFv2::WebACL')).toEqual([]);
  });
});
