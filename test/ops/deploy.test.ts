import { execFile } from 'node:child_process';
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { App } from 'aws-cdk-lib';
import { expect, it } from 'vitest';
import cdkJson from '../../cdk.json' with { type: 'json' };
import { bundleFunctions } from '../../infra/constructs/bundle-functions.ts';
import { serviceStack } from '../../infra/service-stack.ts';
import { stages } from '../../infra/stages.ts';
import { storageStack } from '../../infra/storage-stack.ts';
import { readAssembly } from '../../local/template/assembly.ts';
import { isOnPath, motoServer } from '../support/moto.ts';

const hasMoto = isOnPath('moto_server');
const cdkCli = fileURLToPath(import.meta.resolve('aws-cdk/bin/cdk'));

it.skipIf(!hasMoto)(
  `is bootstrapped and deployed by the CDK's command line, and not changed by a second synthesis${hasMoto ? '' : ' (skipped: there is no moto_server on the PATH)'}`,
  async () => {
    await using home = await mkdtempDisposable(join(tmpdir(), 'sitefetch-deploy-'));
    await using moto = await motoServer(home.path);
    const [first, second] = [join(home.path, 'first'), join(home.path, 'second')];
    await Promise.all([synthesise(first), synthesise(second)]);
    const cdk = (...args: string[]) =>
      promisify(execFile)(execPath, [cdkCli, ...args], { cwd: home.path, env: moto.environment });

    await cdk('bootstrap', 'aws://123456789012/us-east-1');
    // Without a change set: moto keeps no exports of stacks that were created by one.
    await cdk('deploy', '--all', '--app', first, '--method', 'direct', '--require-approval', 'never');

    const { stacks } = await readAssembly(first);
    for (const { stackName, Resources: declared } of stacks) {
      const up = await resourcesOf(moto, stackName);
      const missing = Object.entries(declared).filter(([id, { Type }]) => {
        return !up.has(id) && !isUnknownTo(moto, Type);
      });
      expect(missing).toEqual([]);
      const nameless = Object.entries(declared).filter(([id]) => up.get(id) === '');
      expect(NAMELESS).toEqual(expect.arrayContaining(nameless.map(([, { Type }]) => Type)));
    }
    // Exit code 1, and so a rejection, if anything would change.
    await cdk('diff', '--app', second, '--fail', '--method', 'template');
  },
  4 * 60_000,
);

/** What moto's CloudFormation makes, but gives no physical id of. */
const NAMELESS = [
  'AWS::ApiGateway::Deployment',
  'AWS::ApiGateway::Method',
  'AWS::Lambda::LayerVersion',
  'AWS::Lambda::Permission',
];

/** The app of stage dev with its own bundles. Chromium's layer is a file: moto would only store it. */
async function synthesise(outdir: string): Promise<void> {
  const bundles = await bundleFunctions(`${outdir}-bundles`);
  const folder = join(`${outdir}-layer`, 'chromium');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'chromium'), '');
  const app = new App({ outdir, context: cdkJson.context });
  const storage = storageStack(app, 'dev', stages.dev);
  serviceStack(app, 'dev', stages.dev, storage, {
    bundles,
    chromium: { folder, version: '1', hash: '1', released: '2026-01-31' },
  });
  app.synth();
}

type Moto = Awaited<ReturnType<typeof motoServer>>;

/** The resources of a stack that were created, by logical id: their physical ids, as far as there are any. */
async function resourcesOf({ url, environment }: Moto, StackName: string): Promise<Map<string, string>> {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new CloudFormationClient({ endpoint: url, region: environment.AWS_REGION, credentials });
  const found = new Map<string, string>();
  for await (const { StackResourceSummaries: page = [] } of paginateListStackResources(
    { client },
    { StackName },
  )) {
    for (const { LogicalResourceId: id, PhysicalResourceId: physical, ResourceStatus: status } of page) {
      if (id !== undefined && status === 'CREATE_COMPLETE') found.set(id, physical ?? '');
    }
  }
  client.destroy();
  return found;
}

/** moto says so of the types that its CloudFormation leaves out. */
const isUnknownTo = ({ output }: Moto, type: string) =>
  output.some((line) => line.includes(`No Moto CloudFormation support for ${type}`));
