import { Bucket } from 'aws-cdk-lib/aws-s3';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { expect, test } from 'vitest';
import { everyOption, synthesised } from './synthesised.ts';

const { app: dev } = await synthesised();
const { app: everything } = await synthesised({ stage: 'prod', but: everyOption });

test.each([
  ['AwsSolutions', 'dev', AwsSolutionsChecks, dev],
  ['Serverless', 'dev', ServerlessChecks, dev],
  ['AwsSolutions', 'prod with every option', AwsSolutionsChecks, everything],
  ['Serverless', 'prod with every option', ServerlessChecks, everything],
])('%s finds nothing in %s that is not acknowledged', (_pack, _stage, Checks, app) => {
  const { violations } = new Checks(app).validateScope(app);
  expect(violations.map(({ ruleName, violatingResources }) => [ruleName, violatingResources])).toEqual([]);
});

test('reports findings that are not acknowledged', async () => {
  const { app, serviceStack } = await synthesised();
  new Bucket(serviceStack, 'Careless');
  const { violations } = new AwsSolutionsChecks(app).validateScope(app);
  expect(violations.map(({ ruleName }) => ruleName)).toEqual(['AwsSolutions-S1', 'AwsSolutions-S10']);
});
