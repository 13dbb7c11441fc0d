import { Bucket } from 'aws-cdk-lib/aws-s3';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { expect, it } from 'vitest';
import { synthesised } from './synthesised.ts';

it.each([
  ['AwsSolutions', AwsSolutionsChecks],
  ['Serverless', ServerlessChecks],
])('%s finds nothing that is not acknowledged with its reason', async (_name, Checks) => {
  const { app } = await synthesised({ stage: 'prod' });
  const { violations } = new Checks(app).validateScope(app);
  expect(violations.map(({ ruleName, violatingResources }) => [ruleName, violatingResources])).toEqual([]);
});

it('finds what is not acknowledged', async () => {
  const { app, serviceStack } = await synthesised();
  new Bucket(serviceStack, 'Careless');
  const { violations } = new AwsSolutionsChecks(app).validateScope(app);
  expect(violations.map(({ ruleName }) => ruleName)).toEqual(['AwsSolutions-S1', 'AwsSolutions-S10']);
});
