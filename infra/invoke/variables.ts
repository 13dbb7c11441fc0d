import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { z } from 'zod';
import { environments } from '../../shared/config.ts';
import { assertRuns, readStackFile } from '../running-stack.ts';

type Variables = Readonly<Record<string, string>>;
/** By the functions' logical ids. */
export type ByFunction = Readonly<Record<string, Variables>>;

/** How `npm start` runs a function. */
export const Spec = z.object({
  name: z.string(),
  label: z.string(),
  arn: z.string(),
  handler: z.string(),
  timeoutSeconds: z.number(),
  memoryMb: z.number(),
  variables: z.record(z.string(), z.string()),
});
const Running = z.object({
  base_url: z.url(),
  api_key: z.string(),
  demo_site: z.url(),
  /** Where containers reach what is on this machine. */
  emulators_host: z.string().optional(),
  specs: z.record(z.string(), Spec),
});

/** The running stack of `npm start`. Throws if none runs. */
export async function runningStack(localDir?: string): Promise<z.output<typeof Running>> {
  const stack = await readStackFile(Running, localDir);
  await assertRuns(stack.base_url);
  return stack;
}

const UNREACHABLE = `Containers do not reach 127.0.0.1 of this machine. For sam local invoke, run npm start with the address of
Docker's bridge, which "ip addr show docker0" prints: EMULATORS_HOST=172.17.0.1 npm start`;

const LOOPBACK = '127.0.0.1';
/** Addresses for the browsers of people, which run on this machine. */
const FOR_PEOPLE: readonly string[] = ['API_URL', 'DASHBOARD_URL'];

/** Paths on this machine, which no container has. */
const HERE: readonly string[] = ['CHROMIUM_DIR'];

/** The variables of the functions of `npm start`, as containers need them. */
export async function localVariables(localDir?: string): Promise<ByFunction> {
  const { specs, emulators_host: host } = await runningStack(localDir);
  if (host === undefined) console.error(UNREACHABLE);
  return variablesIn(Object.values(specs), host);
}

/** What functions read and SAM does not set, with `host` in place of loopback. */
export function variablesIn(
  specs: readonly Pick<z.output<typeof Spec>, 'name' | 'variables'>[],
  host = LOOPBACK,
): ByFunction {
  const read = new Set(Object.values(environments).flatMap(({ shape }) => Object.keys(shape)));
  const isPassed = (name: string) =>
    name.startsWith('AWS_ENDPOINT_URL_') || (read.has(name) && !HERE.includes(name));
  return Object.fromEntries(
    specs.map(({ name, variables }) => {
      const passed = Object.entries(variables)
        .filter(([variable]) => isPassed(variable))
        .map(([variable, value]) => [
          variable,
          FOR_PEOPLE.includes(variable) ? value : value.replaceAll(`${LOOPBACK}:`, `${host}:`),
        ]);
      // Their names end in their logical ids.
      return [name.split('-').at(-1) ?? name, Object.fromEntries(passed) as Variables];
    }),
  );
}

/** The variables of the deployed functions of a stage. It may lack the dashboard. */
export async function deployedVariables(stage: string): Promise<ByFunction> {
  const lambda = new LambdaClient();
  const service = await functionsOf(`sitefetch-${stage}-service`);
  const dashboard = await functionsOf(`sitefetch-${stage}-dashboard`).catch(unlessAbsent);
  const found = [...service, ...dashboard].map(async ([id, FunctionName]): Promise<[string, Variables]> => {
    const { Environment } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
    return [id, Environment?.Variables ?? {}];
  });
  return Object.fromEntries(await Promise.all(found));
}

class NoStack extends Error {}

function unlessAbsent(error: unknown): [] {
  if (error instanceof NoStack) return [];
  throw error;
}

/** Logical ids and names. */
async function functionsOf(StackName: string): Promise<[id: string, name: string][]> {
  const client = new CloudFormationClient();
  const found: [string, string][] = [];
  try {
    for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName }))
      for (const { ResourceType, LogicalResourceId: id, PhysicalResourceId: name } of StackResourceSummaries)
        if (ResourceType === 'AWS::Lambda::Function' && id && name) found.push([id, name]);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.endsWith('does not exist')) throw error;
    const where = `Stack ${StackName} does not exist in ${await client.config.region()}.`;
    throw new NoStack(`${where} Deploy it, or name another --stage or AWS_REGION.`, { cause: error });
  }
  return found;
}

/**
 * SAM's file of variables: under `Parameters` the shared values, and under a function's logical id
 * its own. SAM passes a function what its template declares.
 * https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/serverless-sam-cli-using-invoke.html
 */
export function samEnvironment(functions: ByFunction): { Parameters: Variables } & ByFunction {
  const all = Object.values(functions).flatMap((variables) => Object.entries(variables));
  const isShared = (name: string) =>
    new Set(all.filter(([other]) => other === name).map(([, value]) => value)).size === 1;
  const own = Object.entries(functions).map(([id, variables]): [string, Variables] => [
    id,
    Object.fromEntries(Object.entries(variables).filter(([name]) => !isShared(name))),
  ]);
  return {
    Parameters: Object.fromEntries(all.filter(([name]) => isShared(name))),
    ...Object.fromEntries(own.filter(([, variables]) => Object.keys(variables).length > 0)),
  };
}
