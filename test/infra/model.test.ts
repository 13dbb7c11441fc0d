import { expect, test } from 'vitest';
import type { Stage } from '../../infra/stages.ts';
import { named, ofType, type Resources, someModel, synthesised, the } from './synthesised.ts';

const withModel = async (model: Stage['model']) => (await synthesised(model && { but: { model } })).service;
const variablesOf = (resources: Resources, name: string) =>
  (the(resources, 'AWS::Lambda::Function', `${name}Function`).Properties.Environment as Environment)
    .Variables;
type Environment = { Variables: Readonly<Record<string, unknown>> };
type Statement = { Action: string | string[]; Resource: unknown; Condition?: unknown };

const statementsOf = (resources: Resources, name: string) =>
  (the(resources, 'AWS::IAM::Policy', `${name}RoleDefaultPolicy`).Properties.PolicyDocument as Policy)
    .Statement;
type Policy = { Statement: Statement[] };

const idsOf = (resources: Resources) =>
  ofType(resources, 'AWS::Lambda::Function').map(([id]) => id.replace(/Function[0-9A-F]{8}$/, ''));

test('a stage without a model has no function for it, and no function that knows of one', async () => {
  const resources = await withModel(undefined);
  expect(idsOf(resources)).not.toContain('Model');
  expect(JSON.stringify(resources)).not.toMatch(/MODEL_|bedrock/i);
});

test.each<[string, Stage['model']]>([
  ['an endpoint', someModel],
  ['Bedrock', { kind: 'bedrock', modelId: 'amazon.nova-lite-v1:0' }],
])(
  'with %s, functions that accept requests know of the model, and scraper and worker alone call it',
  async (_, model) => {
    const resources = await withModel(model);
    for (const name of idsOf(resources)) {
      const knows = variablesOf(resources, name)['MODEL_FUNCTION'];
      const isCaller = ['Scraper', 'Worker'].includes(name);
      const accepts = isCaller || ['Jobs', 'Batches', 'Crawls'].includes(name);
      expect([name, knows === undefined ? undefined : named(knows)]).toEqual([
        name,
        accepts ? 'ModelFunction' : undefined,
      ]);
      const calls = statementsOf(resources, name).filter(({ Resource }) =>
        JSON.stringify(Resource).includes('"ModelFunction'),
      );
      expect([name, calls.map(({ Action }) => Action)]).toEqual([name, isCaller ? [calls[0]?.Action] : []]);
    }
  },
);

test('the function of an endpoint has its address, and reads its key alone', async () => {
  const resources = await withModel(someModel);
  const { baseUrl, name, structured, secretArn } = someModel;
  expect(variablesOf(resources, 'Model')).toEqual({
    MODEL_URL: baseUrl,
    MODEL_NAME: name,
    MODEL_STRUCTURED: structured,
    MODEL_SECRET_ARN: secretArn,
  });
  const { secretArn: _, ...keyless } = someModel;
  const withoutKey = await withModel(keyless);
  expect(JSON.stringify(statementsOf(withoutKey, 'Model'))).not.toMatch(/secret|bedrock/);
});

const PARTITION = { Ref: 'AWS::Partition' };
const joined = (...parts: unknown[]) => ({ 'Fn::Join': ['', ['arn:', PARTITION, ...parts]] });
const REGION = { Ref: 'AWS::Region' };
const ANY_MODEL = joined(':bedrock:*::foundation-model/*');
const profileIn = (id: string) =>
  joined(':bedrock:', REGION, ':', { Ref: 'AWS::AccountId' }, `:inference-profile/${id}`);
const ARN = 'arn:aws:bedrock:eu-central-1:123456789012';

test.each<[string, string, unknown, unknown?]>([
  [
    'a model',
    'amazon.nova-lite-v1:0',
    joined(':bedrock:', REGION, '::foundation-model/amazon.nova-lite-v1:0'),
  ],
  [
    'a profile',
    'eu.amazon.nova-lite-v1:0',
    profileIn('eu.amazon.nova-lite-v1:0'),
    profileIn('eu.amazon.nova-lite-v1:0'),
  ],
  [
    'the ARN of a profile',
    `${ARN}:application-inference-profile/a1b2`,
    `${ARN}:application-inference-profile/a1b2`,
    `${ARN}:application-inference-profile/a1b2`,
  ],
  ['the ARN of a model', `${ARN}:provisioned-model/abc`, `${ARN}:provisioned-model/abc`],
])('the function of Bedrock may call %s and nothing else', async (_, modelId, arn, profile) => {
  const resources = await withModel({ kind: 'bedrock', modelId });
  expect(variablesOf(resources, 'Model')).toEqual({ BEDROCK_MODEL_ID: modelId });
  const through = { StringEquals: { 'bedrock:InferenceProfileArn': profile } };
  const own = statementsOf(resources, 'Model').filter(
    ({ Action }) => !/logs|xray/.test(JSON.stringify(Action)),
  );
  expect(own).toEqual([
    { Action: 'bedrock:InvokeModel', Effect: 'Allow', Resource: arn },
    ...(profile === undefined
      ? []
      : [{ Action: 'bedrock:InvokeModel', Effect: 'Allow', Resource: ANY_MODEL, Condition: through }]),
  ]);
});
