import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, CfnResource, CloudFormationValidatePlugin, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
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

/** What `cdk synth` checks besides: the schema of each resource, and the CDK's own rules. */
async function faultsOf(app: App, ...more: Stack[]) {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sitefetch-templates-'));
  const stacks = [...app.node.children.filter((child) => child instanceof Stack), ...more];
  const stackTemplates = await Promise.all(
    stacks.map(async (stack) => {
      const templatePath = join(folder.path, `${stack.stackName}.template.json`);
      await writeFile(templatePath, JSON.stringify(Template.fromStack(stack).toJSON()));
      const unknown = { accountId: undefined, region: undefined };
      return { templatePath, stackConstructPath: stack.node.path, ...unknown };
    }),
  );
  const templatePaths = stackTemplates.map(({ templatePath }) => templatePath);
  const context = { templatePaths, stackTemplates, appConstruct: app };
  const { violations } = new CloudFormationValidatePlugin().validate(context);
  return violations.map(({ ruleName, violatingResources }) => [
    ruleName,
    violatingResources.map(({ resourceLogicalId }) => resourceLogicalId),
  ]);
}

// It has every type and property of dev's templates. Both in one validation, for each takes seconds.
test(
  'every template of prod with every option is valid for CloudFormation, unlike a careless one',
  { tags: ['soak'] },
  async () => {
    const careless = new Stack(new App({ builtinCloudFormationValidation: false }), 'Careless');
    new CfnResource(careless, 'Queue', {
      type: 'AWS::SQS::Queue',
      properties: { VisibilityTimeout: 'soon' },
    });
    const faulty = (await faultsOf(everything, careless)).flatMap(([, resources]) => resources);
    expect([...new Set(faulty)]).toEqual(['Queue']);
  },
);

test('reports findings that are not acknowledged', () => {
  const app = new App({ builtinCloudFormationValidation: false });
  new Bucket(new Stack(app, 'Careless'), 'Bucket');
  const { violations } = new AwsSolutionsChecks(app).validateScope(app);
  expect(violations.map(({ ruleName }) => ruleName)).toEqual(['AwsSolutions-S1', 'AwsSolutions-S10']);
});
