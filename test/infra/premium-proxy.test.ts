import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { DISABLE_ASSET_STAGING_CONTEXT } from 'aws-cdk-lib/cx-api';
import { expect, it } from 'vitest';
import { environments, type FunctionName } from '../../shared/config.ts';
import { serviceStack } from '../../infra/service-stack.ts';
import { stages } from '../../infra/stages.ts';
import { storageStack } from '../../infra/storage-stack.ts';
import { ofType, synthesised, type Resources } from './synthesised.ts';

const ARN = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:premium-AbCdEf';

/** The service of a stage that has a premium upstream, whatever its code. */
function withPremiumProxy(): Resources {
  const app = new App({ context: { [DISABLE_ASSET_STAGING_CONTEXT]: true } });
  const stage = { ...stages.dev, premiumProxySecretArn: ARN };
  const bundles = Object.fromEntries(Object.keys(environments).map((name) => [name, import.meta.dirname]));
  const code = {
    bundles: bundles as Record<FunctionName, string>,
    chromium: { folder: import.meta.dirname, version: '1' },
  };
  serviceStack(app, 'dev', stage, storageStack(app, 'dev', stage), code);
  const [, service] = app.node.children.filter((child) => child instanceof Stack);
  return Template.fromStack(service as Stack).toJSON().Resources as Resources;
}

const resources = withPremiumProxy();
const idsThat = (of: Resources, type: string, holds: string) =>
  ofType(of, type)
    .filter(([, resource]) => JSON.stringify(resource).includes(holds))
    .map(([id]) => id.replace(/(Function|RoleDefaultPolicy)[0-9A-F]{8}$/, ''))
    .sort();

it('tells those who fetch, and those who accept jobs, where the secret lies', () => {
  expect(idsThat(resources, 'AWS::Lambda::Function', ARN)).toEqual(['Jobs', 'Scraper', 'Worker']);
});

it('lets those who fetch read that secret, and nobody any other', () => {
  expect(idsThat(resources, 'AWS::IAM::Policy', 'secretsmanager')).toEqual(['Scraper', 'Worker']);
  expect(JSON.stringify(resources).match(/"Action":"secretsmanager:[^}]+/g)).toEqual(
    Array(2).fill(`"Action":"secretsmanager:GetSecretValue","Effect":"Allow","Resource":"${ARN}"`),
  );
});

it('is not to be had where no secret is named', async () => {
  const { service } = await synthesised();
  expect(JSON.stringify(service)).not.toMatch(/secretsmanager|PREMIUM/);
});

it('tells every function that meets targets the name of the API, which is none', () => {
  for (const [id, { Properties }] of ofType(resources, 'AWS::Lambda::Function')) {
    const isTold = JSON.stringify(Properties).includes('.execute-api.');
    expect([id, isTold]).toEqual([id, /^(Scraper|Worker|Jobs|Browser)/.test(id)]);
  }
});
