import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { z } from 'zod';
import { createOrganization } from '../../../shared/use-cases/accounts/manage-organizations.ts';
import { createResources, LOCAL_CREDENTIALS } from '../../../local/create-resources.ts';
import { startEmulators } from '../../../local/emulators.ts';
import { functionVariables } from '../../../local/function-variables.ts';
import { openInvokeApi } from '../../../local/lambda/invoke-api.ts';
import { type LambdaFunction, runFunction } from '../../../local/lambda/lambda-function.ts';
import { readAssembly } from '../../../local/template/assembly.ts';
import { blueprintOf } from '../../../local/template/blueprint.ts';
import { REGION } from '../../../local/template/physical.ts';
import { documentClient } from '../../../shared/adapters/clients.ts';
import { clock } from '../../../shared/adapters/clock.ts';
import { dynamodbAccounts } from '../../../shared/adapters/dynamodb/accounts/dynamodb-accounts.ts';
import { dynamodbJobs } from '../../../shared/adapters/dynamodb/jobs/dynamodb-jobs.ts';
import { readLocalEnv } from '../../../shared/local-config.ts';
import type { ScrapeRequest } from '../../../shared/contract/scrape/scrape-request.ts';
import { parseApiKey } from '../../../shared/domain/accounts/api-key.ts';
import { acceptJob } from '../../../shared/domain/jobs/state.ts';

const TIMEOUT_MS = 60_000;
/** Limits above any measurement. */
const overrides = { credits: 1e9, concurrency: 1_000 };
const Answer = z.object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })) });

/** One worker environment of a cloud assembly, with its own storage and browser function. */
export async function workerEnvironment({ assembly, allow }: { assembly: string; allow: string[] }) {
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(await mkdtempDisposable(join(tmpdir(), 'sitefetch-worker-')));
  const emulators = starting.use(await startEmulators());
  const blueprint = blueprintOf(await readAssembly(assembly), emulators);
  await createResources(blueprint, emulators);
  const functions = new Map<string, LambdaFunction>();
  const invokeApi = starting.use(await openInvokeApi(functions));
  const surroundings = {
    endpoints: { ...emulators, lambda: invokeApi.url, secrets: invokeApi.url, cognito: invokeApi.url },
    apiUrl: invokeApi.url,
    egressAllow: allow,
    premiumProxySecretArn: 'none',
    path: readLocalEnv({}).path,
  };
  const lines: string[] = [];
  function run(label: string, maxEnvironments: number): LambdaFunction {
    const declared = blueprint.functions.find((each) => each.label === label);
    if (!declared) throw new Error(`${assembly} has no ${label}.`);
    const lambda = runFunction({
      spec: { ...declared, variables: functionVariables(declared, surroundings) },
      reservedConcurrency: 1_000,
      maxEnvironments,
      temporary: folder.path,
      log: (line) => lines.push(line),
    });
    functions.set(declared.name, lambda);
    starting.defer(() => lambda.stop());
    return lambda;
  }
  run('browser', 4);
  const worker = run('worker', 1);
  const dynamodb = starting.adopt(
    new DynamoDBClient({ endpoint: emulators.dynamodb, region: REGION, credentials: LOCAL_CREDENTIALS }),
    (client) => client.destroy(),
  );
  const client = documentClient(dynamodb);
  const { ACCOUNTS_TABLE = '', JOBS_TABLE = '' } = worker.spec.variables;
  const accounts = dynamodbAccounts({ client, table: ACCOUNTS_TABLE });
  const jobs = dynamodbJobs({ client, table: JOBS_TABLE });
  const organization = { name: 'Bench', plan: 'business', overrides, mode: 'test' } as const;
  const { org_id: orgId, api_key } = await createOrganization({ ...accounts, ...clock }, organization);
  const keyId = parseApiKey(api_key)?.id ?? '';
  await worker.warmUp();
  const [pid = 0] = worker.pids();
  const running = starting.move();

  return {
    memoryMb: worker.spec.memoryMb,
    jobs,
    /** Returns the id of a job that waits for a worker. */
    accept: async (wanted: Partial<ScrapeRequest> & { url: string }): Promise<string> => {
      const request = { renderJs: false, premiumProxy: false, timeout: TIMEOUT_MS, ...wanted };
      const job = acceptJob({ id: clock.newId(), orgId, keyId, requestId: 'bench', request }, clock.now());
      await jobs.create(job);
      return job.id;
    },
    /** Processes a batch. Returns the ids of jobs that stay in the queue. */
    work: async (jobIds: readonly string[]): Promise<string[]> => {
      const { body, fault } = await worker.invoke(JSON.stringify(eventOf(jobIds)));
      const answer = Answer.safeParse(JSON.parse((await text(body)) || 'null'));
      if (answer.success) return answer.data.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
      throw new Error(`${JSON.stringify(await fault)}\n${lines.slice(-10).join('\n')}`);
    },
    /** Its largest size so far, in MB: https://man7.org/linux/man-pages/man5/proc_pid_status.5.html */
    peakMb: async (): Promise<number> => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8');
      return (Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) * 1_024) / 1_000_000;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

export type WorkerEnvironment = Awaited<ReturnType<typeof workerEnvironment>>;

function eventOf(jobIds: readonly string[]) {
  return { Records: jobIds.map((jobId) => ({ messageId: jobId, body: JSON.stringify({ jobId }) })) };
}
