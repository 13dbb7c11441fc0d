import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { readFunctionLogs } from '../test/support/stack/read-function-logs.ts';
import type { FunctionName } from '../shared/config.ts';
import type { NewOrganization } from '../shared/use-cases/accounts/manage-organizations.ts';
import { clientOf } from '../test/support/stack/client.ts';
import { localStack, type StackChoices } from '../test/support/stack/local-stack.ts';
import { newOrganization } from '../test/support/world/organization.ts';
import { synthesised } from '../test/support/stack/synthesised-stacks.ts';

const [PAGE_BYTES, MB] = [4_096, 1_000_000];

/** The whole local stack in this process, with what benches look at. */
export async function openStack(choices: Partial<StackChoices> = {}) {
  const stack = await localStack({ ...choices, assembly: await synthesised('cdk.out') });
  return {
    ...stack,
    organization: async (wanted: Partial<NewOrganization>) => {
      const { org_id: id, api_key: key } = await newOrganization(stack.storage, wanted);
      return { id, key, client: clientOf(stack.baseUrl, key) };
    },
    logs: () => readFunctionLogs(join(stack.localDir, 'logs')),
    /** The resident memory of the function's largest process. Linux only. */
    memoryMb: async (name: FunctionName) => {
      const sizes = (stack.pids()[name] ?? []).map(async (pid) => {
        const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
        return (Number(statm.split(' ')[1] ?? 0) * PAGE_BYTES) / MB;
      });
      return Math.round(Math.max(0, ...(await Promise.all(sizes))));
    },
  };
}

/** Calls again after this time until the signal aborts. */
export async function repeatedly(ms: number, signal: AbortSignal, call: () => Promise<unknown>) {
  while (!signal.aborted) {
    await call();
    await setTimeout(ms, undefined, { signal }).catch(() => undefined);
  }
}

/** The JSON of a response. Throws if it is an error. */
export async function jsonOf<T>(response: Promise<Response>): Promise<T> {
  const answer = await response;
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as T;
}
