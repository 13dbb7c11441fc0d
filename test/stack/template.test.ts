import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseRate } from '../../local/schedule.ts';
import { readAssembly } from '../../local/template/assembly.ts';
import { blueprintOf } from '../../local/template/blueprint.ts';

type Resources = Record<string, { Type: string; Properties?: object }>;

/** The blueprint of a storage and a service stack with these resources. */
async function blueprintFrom(storage: Resources, service: Resources) {
  const folder = await mkdtemp(join(tmpdir(), 'assembly-'));
  const write = (name: string, content: object) => writeFile(join(folder, name), JSON.stringify(content));
  const stack = (name: string) => ({
    type: 'aws:cloudformation:stack',
    properties: { templateFile: `${name}.json`, stackName: name },
  });
  const assets = { type: 'cdk:asset-manifest', properties: { file: 'assets.json' } };
  const file = (path: string) => ({ source: { path }, destinations: { d: { objectKey: `${path}.zip` } } });
  const exported = { Value: { Ref: 'Jobs' }, Export: { Name: 'storage:Jobs' } };
  await write('manifest.json', {
    artifacts: { storage: stack('storage'), service: stack('service'), assets },
  });
  await write('storage.json', { Resources: storage, Outputs: { Jobs: exported } });
  await write('service.json', { Resources: service });
  await write('assets.json', { files: { a: file('code'), b: file('layer') } });
  try {
    return { folder, blueprint: blueprintOf(await readAssembly(folder), { sqs: 'http://127.0.0.1:1' }) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

const jobs = {
  Jobs: {
    Type: 'AWS::DynamoDB::Table',
    Properties: {
      TableName: 'jobs',
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    },
  },
};

const worker = (Variables: object) => ({
  Type: 'AWS::Lambda::Function',
  Properties: {
    Code: { S3Key: 'code.zip' },
    Handler: 'index.handler',
    Timeout: 7,
    Layers: [{ Ref: 'Layer' }],
    Environment: { Variables },
  },
});
const Layer = { Type: 'AWS::Lambda::LayerVersion', Properties: { Content: { S3Key: 'layer.zip' } } };

test('variables that refer to resources of either stack are resolved', async () => {
  const { blueprint, folder } = await blueprintFrom(jobs, {
    Layer,
    Queue: { Type: 'AWS::SQS::Queue' },
    WorkerFunction1A2B3C4D: worker({
      TABLE: { 'Fn::ImportValue': 'storage:Jobs' },
      QUEUE_URL: { Ref: 'Queue' },
      QUEUE_ARN: { 'Fn::GetAtt': ['Queue', 'Arn'] },
      JOINED: { 'Fn::Join': ['-', ['a', { Ref: 'AWS::Region' }]] },
      SUB: { 'Fn::Sub': 'x-${AWS::AccountId}-${Queue.QueueName}' },
      PART: { 'Fn::Select': [1, { 'Fn::Split': ['/', 'a/b'] }] },
    }),
  });
  expect(blueprint.functions[0]).toMatchObject({
    label: 'worker',
    taskRoot: join(folder, 'code'),
    layers: [join(folder, 'layer')],
    timeoutSeconds: 7,
    memoryMb: 128,
    variables: {
      TABLE: 'jobs',
      QUEUE_URL: 'http://127.0.0.1:1/000000000000/service-Queue',
      QUEUE_ARN: 'arn:aws:sqs:us-east-1:000000000000:service-Queue',
      JOINED: 'a-us-east-1',
      SUB: 'x-000000000000-service-Queue',
      PART: 'b',
    },
  });
});

test('routes are assembled from resources and lead to functions', async () => {
  const resource = (PathPart: string, ParentId: object) => ({
    Type: 'AWS::ApiGateway::Resource',
    Properties: { PathPart, ParentId },
  });
  const functionArn = 'arn:aws:lambda:us-east-1:000000000000:function:service-Worker';
  const { blueprint } = await blueprintFrom(jobs, {
    Layer,
    Worker: worker({}),
    Items: resource('items', { 'Fn::GetAtt': ['Api', 'RootResourceId'] }),
    Item: resource('{id}', { Ref: 'Items' }),
    Api: { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: 'api', BinaryMediaTypes: ['a/b'] } },
    ItemAny: {
      Type: 'AWS::ApiGateway::Method',
      Properties: {
        RestApiId: { Ref: 'Api' },
        HttpMethod: 'ANY',
        ResourceId: { Ref: 'Item' },
        Integration: {
          ResponseTransferMode: 'STREAM',
          TimeoutInMillis: 40_000,
          Uri: {
            'Fn::Sub':
              'arn:aws:apigateway:${AWS::Region}:lambda:path/2021-11-15/functions/${Worker.Arn}/response-streaming-invocations',
          },
        },
      },
    },
  });
  const binaryTypes = ['a/b'];
  expect(blueprint.routes).toEqual([
    {
      ...{ api: 'api', path: '/items/{id}', method: 'ANY', functionArn },
      ...{ timeoutMs: 40_000, isStreamed: true, binaryTypes },
    },
  ]);
});

test.each([
  ['an unknown intrinsic function', { X: { 'Fn::Cidr': [] } }, 'Fn::Cidr'],
  ['an unknown export', { X: { 'Fn::ImportValue': 'storage:None' } }, 'storage:None'],
  ['an unknown resource', { X: { Ref: 'Nothing' } }, 'Nothing'],
])('%s stops the start with an error that names it', async (_, variables, message) => {
  await expect(blueprintFrom(jobs, { Layer, Worker: worker(variables) })).rejects.toThrow(message);
});

test.each([
  ['rate(1 minute)', 60_000],
  ['rate(5 minutes)', 300_000],
  ['rate(2 hours)', 7_200_000],
])('%s runs every %d ms', (expression, ms) => {
  expect(parseRate(expression)).toBe(ms);
});

test('a schedule other than a rate is refused', () => {
  expect(() => parseRate('cron(0 12 * * ? *)')).toThrow('cron(0 12 * * ? *)');
});
