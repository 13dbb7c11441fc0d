import { execFile } from 'node:child_process';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CloudFormationClient, GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import {
  App,
  CfnOutput,
  CfnResource,
  Fn,
  type IStackSynthesizer,
  LegacyStackSynthesizer,
  Stack,
} from 'aws-cdk-lib';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { linksOf, releases } from '../support/stack/stack-links.ts';
import { synthesised } from '../infra/synthesised.ts';
import { isOnPath, motoServer } from '../support/stack/moto.ts';

const [DEPLOY, cdkCli] = [
  fileURLToPath(new URL('../../infra/deploy/main.ts', import.meta.url)),
  fileURLToPath(import.meta.resolve('aws-cdk/bin/cdk')),
];
const hasMoto = isOnPath('moto_server');
const why = hasMoto ? '' : ' (skipped: there is no moto_server on the PATH)';
const [STORAGE, SERVICE] = ['sitefetch-dev-storage', 'sitefetch-dev-service'];

type Links = ReturnType<typeof linksOf>;
type Stacks = Readonly<Record<string, Links>>;

test.skipIf(!hasMoto).each(releases)(
  `the service of %s is deployed on today's storage, which stays as it is${why}`,
  async (_, { stacks: older }) => {
    await using account = await motoAccount();
    const { templates } = await synthesised();
    const today = Object.fromEntries([...templates].map(([name, it]) => [name, linksOf(it)]));
    const deploy = (app: string, ...names: string[]) =>
      account.run(cdkCli, 'deploy', ...names, '--app', app, '--method', 'direct');
    await account.create('first', {});
    await deploy(assembly(join(account.home, 'today'), today), STORAGE, SERVICE);
    const before = await account.template(STORAGE);

    await deploy(assembly(join(account.home, 'older'), older), '--exclusively', SERVICE);

    expect(linksOf(await account.template(SERVICE)).imports).toEqual(older[SERVICE]?.imports);
    expect(await account.template(STORAGE)).toEqual(before);
  },
);

test.skipIf(!hasMoto)(
  `npm run deploy refuses to give up an export that the deployed service uses, and deploys nothing${why}`,
  async () => {
    await using account = await motoAccount();
    const exported = `${STORAGE}:ExportsOutputRefNewer`;
    await account.create(STORAGE, { Outputs: { Newer: { Value: 'x', Export: { Name: exported } } } });
    await account.create(SERVICE, { Outputs: { Used: { Value: { 'Fn::ImportValue': exported } } } });
    const before = await account.template(STORAGE);

    await expect(account.run(DEPLOY, '-c', 'stage=dev')).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`Sitefetch ${manifest.version}, commit `) as string,
      stderr: expect.stringContaining(`${STORAGE}: ${exported}, used by ${SERVICE}`) as string,
    });

    expect(await account.template(STORAGE)).toEqual(before);
  },
);

/** An empty AWS account, with its command lines. */
async function motoAccount() {
  const home = await mkdtempDisposable(join(tmpdir(), 'sitefetch-rollback-'));
  const { environment, url, ...moto } = await motoServer(home.path);
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new CloudFormationClient({ endpoint: url, region: environment.AWS_REGION, credentials });
  return {
    home: home.path,
    run: (...command: string[]) =>
      promisify(execFile)(execPath, command, { cwd: home.path, env: environment }),
    create: moto.createStack,
    async template(StackName: string) {
      const { TemplateBody = '' } = await client.send(new GetTemplateCommand({ StackName }));
      // The CDK sends a small template as YAML, and other ones are JSON, which is YAML too.
      return parse(TemplateBody) as object;
    },
    async [Symbol.asyncDispose]() {
      client.destroy();
      await moto[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

/** Stacks with these exports and imports, and a topic each: moto updates few other things. */
function assembly(outdir: string, stacks: Stacks): string {
  const app = new App({ outdir });
  const made = [STORAGE, SERVICE].map((name) => {
    // Without the parameter of a bootstrapped account, with which moto updates no stack.
    return new Stack(app, name, { synthesizer: new LegacyStackSynthesizer() as IStackSynthesizer });
  });
  made[1]?.addStackDependency(made[0] as Stack);
  for (const stack of made) {
    const { exports = [], imports = [] } = stacks[stack.stackName] ?? {};
    exports.forEach((exportName, index) => new CfnOutput(stack, `E${index}`, { value: 'x', exportName }));
    imports.forEach((it, index) => new CfnOutput(stack, `I${index}`, { value: Fn.importValue(it) }));
    new CfnResource(stack, 'Topic', { type: 'AWS::SNS::Topic' });
  }
  app.synth();
  return outdir;
}
