import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Template } from 'aws-cdk-lib/assertions';
import { ASSET_RESOURCE_METADATA_ENABLED_CONTEXT, PATH_METADATA_ENABLE_CONTEXT } from 'aws-cdk-lib/cx-api';
import { format, resolveConfig } from 'prettier';
import { expect, test, vi } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { bufferedHandler } from '../../infra/constructs/buffered.ts';
import { unpackChromium } from '../../infra/constructs/unpack-chromium.ts';
import { eventsOf, functionNamed } from '../../infra/invoke/events.ts';
import { samEnvironment, variablesIn } from '../../infra/invoke/variables.ts';
import { functionVariables } from '../../local/function-variables.ts';
import { blueprintOf } from '../../local/template/blueprint.ts';
import { environments, type FunctionName, readEnv } from '../../shared/config.ts';
import { functionsIn, variablesOf } from '../support/stack/as-sam-reads.ts';
import { everyOption, synthesised } from './synthesised.ts';

const GUIDE = fileURLToPath(new URL('../../docs/development.md', import.meta.url));
const HOST = '172.17.0.1';

/** What `npm run sam:template` gives the CDK. */
const script = packageJson.scripts['sam:template'].split(' ');
const forSam: Readonly<Record<string, unknown>> = {
  [ASSET_RESOURCE_METADATA_ENABLED_CONTEXT]: true,
  ...(Object.fromEntries(
    script.flatMap((word, at) => (word === '-c' ? [script[at + 1]?.split('=') ?? []] : [])),
  ) as Record<string, string>),
  [PATH_METADATA_ENABLE_CONTEXT]: !script.includes('--no-path-metadata'),
};

const chromium = { folder: await unpackChromium() };
const dev = await templates({ context: forSam, chromium });
const functions = found(dev);

function found(all: Templates) {
  return all.flatMap((template) => functionsIn(template, import.meta.dirname));
}

/** The context is what tells a template for SAM from one for a deployment. */
async function templates(options: NonNullable<Parameters<typeof synthesised>[0]> = {}) {
  const { serviceStack, dashboardStack, storageStack, identityStack } = await synthesised(options);
  return [serviceStack, dashboardStack, storageStack, identityStack].map((stack) => ({
    stackName: stack.stackName,
    Outputs: {},
    Parameters: {},
    ...(Template.fromStack(stack).toJSON() as { Resources: Record<string, Resource> }),
  }));
}

type Resource = { Type: string; Properties: Record<string, unknown>; Metadata?: Record<string, unknown> };

type Templates = Awaited<ReturnType<typeof templates>>;

const nameOf = (id: string) => functionNamed(id.replace(/Function[0-9A-F]{8}$/, '').toLowerCase());

/** The functions as the local stack would run them. */
function specsOf(stacks: Templates) {
  const keys = JSON.stringify(stacks).matchAll(/"S3Key":"([^"]+)"/g);
  const assets = new Map([...keys].map(([, key = '']): [string, string] => [key, import.meta.dirname]));
  return blueprintOf({ stacks, assets }, { sqs: 'http://127.0.0.1:1' }).functions;
}

const at = (port: number) => `http://127.0.0.1:${port}`;
const surroundings = {
  endpoints: { dynamodb: at(2), sqs: at(1), s3: at(1), lambda: at(3), secrets: at(4), cognito: at(5) },
  apiUrl: 'http://localhost:6',
  dashboardUrl: 'http://localhost:7',
  premiumProxySecretArn: 'arn:aws:secretsmanager:us-east-1:000000000000:secret:premium',
  egressAllow: ['127.0.0.1:8'],
  demoPage: `${at(8)}/js`,
  path: '/bin',
};

test('sam local invoke finds the code and the handler of every function', () => {
  expect(functions.map(({ id }) => nameOf(id)).sort()).toEqual(Object.keys(environments).sort());
  for (const { id, code, Handler, Runtime } of functions) {
    expect([id, code]).toEqual([id, import.meta.dirname]);
    expect([Handler, Runtime]).toEqual([bufferedHandler(nameOf(id)), 'nodejs24.x']);
  }
});

test('no function needs Docker to emulate another processor', () => {
  for (const { id, Architectures } of functions) expect([id, Architectures]).toEqual([id, ['x86_64']]);
});

test('the browser has Chromium in a layer of the same template', () => {
  const layers = functions.flatMap((each) => each.layers.map((layer) => [nameOf(each.id), layer] as const));
  expect(layers.map(([name]) => name)).toEqual(['browser']);
  expect(existsSync(join(layers[0]?.[1] ?? '', 'chromium/chromium'))).toBe(true);
});

test('the template has no paths of the CDK, for each of which SAM prints a warning', () => {
  expect(JSON.stringify(dev)).not.toContain('aws:cdk:path');
});

test('with the variables of npm start every function runs as it does there', () => {
  const specs = specsOf(dev).map((it) => ({ ...it, variables: functionVariables(it, surroundings) }));
  const file = samEnvironment(variablesIn(specs, HOST));
  for (const each of functions) {
    const passed = variablesOf(each, file);
    const { variables } = specs.find(({ name }) => name.endsWith(each.id)) ?? {};
    const { CHROMIUM_DIR: _, ...own } = JSON.parse(
      JSON.stringify(variables).replaceAll('127.0.0.1:', `${HOST}:`),
    ) as Record<string, string>;
    const name = nameOf(each.id);
    expect(readEnv(name, passed)).toEqual(readEnv(name, own));
    for (const variable of Object.keys(own).filter((key) => key.startsWith('AWS_ENDPOINT_URL_')))
      expect([name, variable, passed[variable]]).toEqual([name, variable, own[variable]]);
  }
});

test('with the variables of a deployment every function runs as it does there', async () => {
  const but = { ...everyOption, tenantIsolation: true };
  const deployed = specsOf(await templates({ stage: 'prod', but }));
  const prod = found(await templates({ stage: 'prod', but, context: forSam }));
  const file = samEnvironment(
    Object.fromEntries(deployed.map(({ name, variables }) => [name.split('-').at(-1) ?? '', variables])),
  );
  for (const each of prod) {
    const { variables } = deployed.find(({ name }) => name.endsWith(each.id)) ?? {};
    const passed = variablesOf(each, file);
    expect(readEnv(nameOf(each.id), passed)).toEqual(readEnv(nameOf(each.id), variables));
    expect(
      Object.entries(passed).filter(([name, value]) => name.startsWith('AWS_ENDPOINT') && value),
    ).toEqual([]);
  }
});

test('what differs between functions is under their ids', () => {
  expect(samEnvironment({ A: { TABLE: 't', HOST: 'a' }, B: { TABLE: 't', HOST: 'b', ONLY: 'o' } })).toEqual({
    Parameters: { TABLE: 't', ONLY: 'o' },
    A: { HOST: 'a' },
    B: { HOST: 'b' },
  });
});

test('addresses that people open, and paths on this machine, are not for containers', () => {
  const [api, queue] = ['http://127.0.0.1:1', 'http://127.0.0.1:2/jobs'];
  const variables = { API_URL: api, JOBS_QUEUE_URL: queue, CHROMIUM_DIR: '/here', PATH: '/bin' };
  expect(variablesIn([{ name: 'sitefetch-dev-service-A1', variables }], HOST)).toEqual({
    A1: { API_URL: api, JOBS_QUEUE_URL: `http://${HOST}:2/jobs` },
  });
});

test('a template for a deployment is unchanged', async () => {
  const deployed = (await templates()).flatMap(({ Resources }) => Object.values(Resources));
  const plain = deployed.filter(({ Type }) => Type === 'AWS::Lambda::Function').map((it) => it.Properties);
  expect(new Set(plain.map(({ Handler }) => Handler))).toEqual(new Set(['index.handler']));
  expect(plain.flatMap(({ Architectures }) => Architectures)).toContain('arm64');
  expect(JSON.stringify(plain)).not.toMatch(/AWS_ENDPOINT_URL|ENDPOINT_MODE/);
});

test('a function calls AWS itself if the endpoints are empty', async () => {
  const [meta] = functions.filter(({ id }) => nameOf(id) === 'meta');
  for (const [name, value] of Object.entries(variablesOf(meta ?? never(), {}))) vi.stubEnv(name, value);
  try {
    const url = await getSignedUrl(new S3Client(), new GetObjectCommand({ Bucket: 'results', Key: 'page' }));
    expect(new URL(url).host).toBe('results.s3.us-east-1.amazonaws.com');
    // The account number that SAM invents would be in the host name of DynamoDB.
    expect(await new DynamoDBClient().config.accountIdEndpointMode()).toBe('disabled');
  } finally {
    vi.unstubAllEnvs();
  }
});

test('docs/development.md lists every function (npx vitest run --project infra -u test/infra/sam-template.test.ts)', async () => {
  const guide = await readFile(GUIDE, 'utf8');
  const rows = functions.map(({ id }) => [nameOf(id), id] as const).map(rowOf);
  const table = ['| Function | Logical id | Events |', '| --- | --- | --- |', ...rows].join('\n');
  const fresh = guide.replace(/(?<=\n)\| Function .*?\n(?=\n)/s, `${table}\n`);
  const options = { ...(await resolveConfig(GUIDE)), filepath: GUIDE };
  await expect(await format(fresh, options)).toMatchFileSnapshot(GUIDE);
});

function rowOf([name, id]: readonly [FunctionName, string]): string {
  return `| ${[name, id, eventsOf(name).join(', ')].join(' | ')} |`;
}

function never(): never {
  throw new Error('The template has no such function.');
}
