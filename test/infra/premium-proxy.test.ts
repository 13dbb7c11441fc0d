import { expect, test } from 'vitest';
import { ofType, synthesised, type Resources } from './synthesised.ts';

const ARN = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:premium-AbCdEf';

const { service: resources } = await synthesised({
  but: { premiumProxySecretArn: ARN, tenantIsolation: true },
});
const idsThat = (of: Resources, type: string, holds: string) =>
  ofType(of, type)
    .filter(([, resource]) => JSON.stringify(resource).includes(holds))
    .map(([id]) => id.replace(/(Function|RoleDefaultPolicy)[0-9A-F]{8}$/, ''))
    .sort();

test("functions that fetch or accept jobs get the secret's ARN", () => {
  expect(idsThat(resources, 'AWS::Lambda::Function', ARN)).toEqual([
    'Batches',
    'Crawls',
    'Jobs',
    'Scraper',
    'Worker',
  ]);
});

test('only functions that fetch may read the secret', () => {
  expect(idsThat(resources, 'AWS::IAM::Policy', ARN)).toEqual(['Scraper', 'Worker']);
  expect(
    JSON.stringify(resources).match(/"Action":"[^"]+","Effect":"Allow","Resource":"arn:aws:secrets[^}]+/g),
  ).toEqual(Array(2).fill(`"Action":"secretsmanager:GetSecretValue","Effect":"Allow","Resource":"${ARN}"`));
});

test('a stage without a secret has no premium proxy', async () => {
  const { service } = await synthesised();
  expect(idsThat(service, 'AWS::IAM::Policy', 'secretsmanager')).toEqual(['Notifier', 'Webhooks']);
  expect(JSON.stringify(service)).not.toMatch(/PREMIUM/);
});

test("every function that handles targets knows the API's host, which is not a target", () => {
  for (const [id, { Properties }] of ofType(resources, 'AWS::Lambda::Function')) {
    const { Variables = {} } = Properties.Environment as { Variables?: Record<string, unknown> };
    const isTold = JSON.stringify(Variables['API_HOST'] ?? '').includes('.execute-api.');
    expect([id, isTold]).toEqual([
      id,
      /^(Scraper|Worker|Jobs|Batches|Crawls|Browser|Webhooks|Notifier)/.test(id),
    ]);
  }
});

test('a premium proxy needs tenant isolation', async () => {
  await expect(synthesised({ but: { premiumProxySecretArn: ARN } })).rejects.toThrow('needs tenantIsolation');
});
