import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { CloudFormationClient, GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import manifest from '../../package.json' with { type: 'json' };
import { explainFault } from '../explain-fault.ts';
import { stageFault } from '../stage-names.ts';
import { exportsInUse, type GivenUp, type StackLinks } from './exports-in-use.ts';

/** `npm run deploy -- OPTIONS OF CDK`: all stacks, unless CloudFormation would refuse them halfway. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ASSEMBLY = join(ROOT, 'cdk.out');
const CDK = createRequire(import.meta.url).resolve('aws-cdk/bin/cdk');

const args = process.argv.slice(2);
const { values } = parseArgs({
  args,
  options: { context: { type: 'string', short: 'c', multiple: true }, profile: { type: 'string' } },
  // All others are for the CDK.
  strict: false,
});

const contexts = [values.context ?? []].flat().map(String);

process.exitCode = await deploy();

async function deploy(): Promise<number> {
  const fault = stageFault(stageIn(contexts)) ?? (await credentialsFault());
  if (fault !== undefined) {
    console.error(fault);
    return 1;
  }
  console.log(await versionHere());
  const context = contexts.flatMap((value) => ['-c', value]);
  const failed = await cdk('synth', '--quiet', '--output', ASSEMBLY, ...context);
  if (failed !== 0) return failed;
  const next = await synthesisedTemplates();
  const refused = exportsInUse(await deployedTemplates([...next.keys()]), next);
  if (refused.length === 0) return cdk('deploy', '--all', '--app', ASSEMBLY, ...args);
  console.error(refusal(refused));
  return 1;
}

/** As CDK reads it: the last one counts. */
function stageIn(all: readonly string[]): string {
  return all.findLast((each) => each.startsWith('stage='))?.slice('stage='.length) ?? 'dev';
}

/** Why AWS would refuse the deployment after minutes of synthesis; undefined if there are credentials. */
async function credentialsFault(): Promise<string | undefined> {
  const client = cloudFormation();
  try {
    await client.config.credentials();
    return undefined;
  } catch (error) {
    return explainFault(error);
  } finally {
    client.destroy();
  }
}

function cloudFormation(): CloudFormationClient {
  const { profile } = values;
  return new CloudFormationClient(typeof profile === 'string' ? { profile } : {});
}

/** What is about to be deployed: the version, and the commit if this is a clone. */
async function versionHere(): Promise<string> {
  const git = async (...command: string[]) =>
    (await promisify(execFile)('git', command, { cwd: ROOT })).stdout.trim();
  const commit = await git('rev-parse', '--short', 'HEAD').catch(() => 'unknown');
  const isChanged = (await git('status', '--porcelain').catch(() => '')) !== '';
  return `Sitefetch ${manifest.version}, commit ${commit}${isChanged ? ' with changes' : ''}`;
}

async function cdk(...command: string[]): Promise<number> {
  const child = spawn(process.execPath, [CDK, ...command], { cwd: ROOT, stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

type Manifest = { artifacts: Record<string, { properties?: { templateFile?: string } }> };

async function synthesisedTemplates(): Promise<Map<string, StackLinks>> {
  const read = async (file: string): Promise<unknown> =>
    JSON.parse(await readFile(join(ASSEMBLY, file), 'utf8'));
  const { artifacts } = (await read('manifest.json')) as Manifest;
  const templates = Object.entries(artifacts).flatMap(([name, { properties }]) =>
    properties?.templateFile === undefined ? [] : [[name, properties.templateFile] as const],
  );
  return new Map(
    await Promise.all(
      templates.map(async ([name, file]) => [name, (await read(file)) as StackLinks] as const),
    ),
  );
}

/** The templates of those stacks that exist. None, with a note, if they cannot be read. */
async function deployedTemplates(names: string[]): Promise<Map<string, StackLinks>> {
  const client = cloudFormation();
  try {
    const found = await Promise.all(
      names.map(async (name) => [name, await deployedTemplate(client, name)] as const),
    );
    return new Map(found.flatMap(([name, template]) => (template ? [[name, template] as const] : [])));
  } catch (error) {
    console.error(`Could not compare with the deployed stacks: ${explainFault(error)}`);
    return new Map();
  } finally {
    client.destroy();
  }
}

async function deployedTemplate(client: CloudFormationClient, name: string): Promise<StackLinks | undefined> {
  try {
    const { TemplateBody = '{}' } = await client.send(new GetTemplateCommand({ StackName: name }));
    return JSON.parse(TemplateBody) as StackLinks;
  } catch (error) {
    if (error instanceof Error && error.name === 'ValidationError') return undefined;
    throw error;
  }
}

function refusal(refused: GivenUp[]): string {
  return `
Nothing was deployed: a stack would drop an export that another deployed stack still uses.
${refused.map(({ stack, exported, usedBy }) => `  ${stack}: ${exported}, used by ${usedBy}`).join('\n')}
To go back to an earlier version, do not change that stack: docs/deploy.md, "Roll back".
To go forward, deploy the stack that uses the export first: npx cdk deploy --exclusively ${refused[0]?.usedBy ?? ''}`;
}
