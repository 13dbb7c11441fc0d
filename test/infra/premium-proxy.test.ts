import { expect, it } from 'vitest';
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

it('is refused where organizations share browser environments, in which a page might wait for it', async () => {
  await expect(synthesised({ but: { premiumProxySecretArn: ARN } })).rejects.toThrow('needs tenantIsolation');
});
