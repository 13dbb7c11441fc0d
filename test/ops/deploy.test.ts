import { execFile } from 'node:child_process';
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { App } from 'aws-cdk-lib';
import { CfnSecret } from 'aws-cdk-lib/aws-secretsmanager';
import { expect, test } from 'vitest';
import cdkJson from '../../cdk.json' with { type: 'json' };
import { allStacks } from '../../infra/sitefetch.ts';
import { bundleFunctions } from '../../infra/constructs/bundle-functions.ts';
import { stages } from '../../infra/stages.ts';
import { readEnv } from '../../shared/config.ts';
import { readAssembly } from '../../local/template/assembly.ts';
import { isOnPath, motoServer } from '../support/stack/moto.ts';

const ADMIN = fileURLToPath(new URL('../../infra/admin/main.ts', import.meta.url));
const SAM_ENV = fileURLToPath(new URL('../../infra/invoke/print-variables.ts', import.meta.url));
const hasMoto = isOnPath('moto_server');
const cdkCli = fileURLToPath(import.meta.resolve('aws-cdk/bin/cdk'));

test.skipIf(!hasMoto)(
  `cdk bootstraps and deploys the stacks, admin finds them, and a second synthesis changes nothing${hasMoto ? '' : ' (skipped: there is no moto_server on the PATH)'}`,
  async () => {
    await using home = await mkdtempDisposable(join(tmpdir(), 'sitefetch-deploy-'));
    await using moto = await motoServer(home.path);
    const [first, second] = [join(home.path, 'first'), join(home.path, 'second')];
    await Promise.all([synthesise(first), synthesise(second)]);
    const cdk = (...args: string[]) =>
      promisify(execFile)(execPath, [cdkCli, ...args], { cwd: home.path, env: moto.environment });

    await moto.createStack('first', {});
    await cdk('bootstrap', 'aws://123456789012/us-east-1');
    // Without a change set, as moto then loses the stack's exports.
    const deploy = ['--app', first, '--method', 'direct', '--require-approval', 'never'];
    await cdk('deploy', ...KNOWN, ...deploy);

    const { stacks } = await readAssembly(first);
    for (const { stackName, Resources: declared } of stacks.filter(({ stackName: it }) =>
      KNOWN.includes(it),
    )) {
      const up = await resourcesOf(moto, stackName);
      const missing = Object.entries(declared).filter(([id, { Type }]) => {
        return !up.has(id) && !isUnknownTo(moto, Type);
      });
      expect(missing).toEqual([]);
      const nameless = Object.entries(declared).filter(([id]) => up.get(id) === '');
      expect(NAMELESS).toEqual(expect.arrayContaining(nameless.map(([, { Type }]) => Type)));
    }
    const admin = async (...args: string[]) => {
      const typed = [ADMIN, '--stage', 'dev', '--json', ...args];
      const { stdout } = await promisify(execFile)(execPath, typed, { env: moto.environment });
      return JSON.parse(stdout) as Record<string, unknown>;
    };
    const { org_id: orgId } = await admin('org', 'create', '--name', 'First');
    expect(await admin('org', 'grant', String(orgId), '--credits', '5')).toMatchObject({
      name: 'First',
      usage: { available: 1_005, granted: 5 },
    });

    const { stdout } = await promisify(execFile)(execPath, [SAM_ENV, '--stage', 'dev'], {
      env: moto.environment,
    });
    const file = JSON.parse(stdout) as Record<string, Record<string, string>>;
    const worker = readEnv('worker', file.Parameters);
    expect(worker.JOBS_QUEUE_URL).toMatch(/\/sitefetch-dev-service-Queue/);
    expect(worker.ACCOUNTS_TABLE).toMatch(/^sitefetch-dev-storage-Accounts/);

    // Exits with code 1, and so rejects, if anything would change.
    await cdk('diff', ...KNOWN, '--app', second, '--fail', '--method', 'template');
  },
  4 * 60_000,
);

/** moto's CloudFormation has no user pools, which the other two stacks need. */
const KNOWN = ['sitefetch-dev-storage', 'sitefetch-dev-service'];

/** Types that moto creates without a physical id. */
const NAMELESS = [
  'AWS::ApiGateway::Deployment',
  'AWS::ApiGateway::Method',
  'AWS::Lambda::LayerVersion',
  'AWS::Lambda::Permission',
];

/** Stage dev with its real bundles, but an empty file for Chromium, which moto would only store. */
async function synthesise(outdir: string): Promise<void> {
  const bundles = await bundleFunctions(`${outdir}-bundles`);
  const folder = join(`${outdir}-layer`, 'chromium');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'chromium'), '');
  const app = new App({ outdir, context: cdkJson.context });
  allStacks(app, 'dev', stages.dev, {
    bundles,
    chromium: { folder, version: '1', hash: '1', released: '2026-01-31' },
  });
  for (const each of app.node.findAll()) if (each instanceof CfnSecret) makeTopic(each);
  app.synth();
}

/** moto's CloudFormation creates no secrets, and so exports no ARN of one. A topic's stands for it. */
function makeTopic(secret: CfnSecret): void {
  secret.addOverride('Type', 'AWS::SNS::Topic');
  for (const property of ['Description', 'GenerateSecretString'])
    secret.addPropertyDeletionOverride(property);
}

type Moto = Awaited<ReturnType<typeof motoServer>>;

/** The physical ids of a stack's created resources by logical id; empty if there is none. */
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

/** moto logs this for types that its CloudFormation does not support. */
const isUnknownTo = ({ output }: Moto, type: string) =>
  output.some((line) => line.includes(`No Moto CloudFormation support for ${type}`));
