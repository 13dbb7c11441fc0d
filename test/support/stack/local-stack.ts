import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '../../../infra/admin/connect.ts';
import type { StackOptions } from '../../../local/stack-options.ts';
import { startStack, type LocalStack } from '../../../local/start-stack.ts';
import { readLocalEnv } from '../../../shared/local-config.ts';
import { type Client, clientOf } from './client.ts';

export type TestStack = LocalStack & {
  localDir: string;
  /** The cloud assembly that it runs. */
  assembly: string;
  /** The lines that the stack has reported so far. */
  lines: string[];
  /** A caller with the demo key. */
  client: Client;
  /** The operator's access to its data. */
  storage: Awaited<ReturnType<typeof connect>>;
};

/** What can be passed on to other processes. */
export const DESCRIBED = [
  ...(['baseUrl', 'dashboardUrl', 'apiKey', 'demoSite', 'localDir', 'assembly'] as const),
  ...(['endpoints', 'functions', 'buckets'] as const),
];
export type DescribedStack = Pick<TestStack, (typeof DESCRIBED)[number]>;

export type StackChoices = Required<Pick<StackOptions, 'assembly'>> &
  Partial<
    Pick<
      StackOptions,
      | 'egressAllow'
      | 'emulatorsHost'
      | 'premiumProxyUrl'
      | 'model'
      | 'before'
      | 'apiKey'
      | 'host'
      | 'localDir'
      | 'maxEnvironments'
    >
  >;

/**
 * The whole stack as `npm start` runs it, from the current code, on free ports. Its folder is removed
 * unless it was given. Functions start when they are called, for most tests call few of them.
 */
export async function localStack(choices: StackChoices): Promise<TestStack> {
  const { egressAllow = [], assembly, premiumProxyUrl, before, ...rest } = choices;
  const { path } = readLocalEnv({});
  const localDir = rest.localDir ?? (await mkdtemp(join(tmpdir(), 'stack-')));
  const lines: string[] = [];
  const stack = await startStack({
    ...rest,
    port: 0,
    localDir,
    egressAllow,
    path,
    premiumProxyUrl,
    before,
    assembly,
    isCold: true,
    report: (line) => lines.push(line),
  });
  return {
    ...stack,
    localDir,
    assembly,
    lines,
    client: clientOf(stack.baseUrl, stack.apiKey),
    storage: await connect({ local: true, stage: 'dev', localDir }),
    async [Symbol.asyncDispose]() {
      await stack[Symbol.asyncDispose]();
      if (rest.localDir) return;
      // Killed browsers may still write into it while they die.
      await rm(localDir, { recursive: true, maxRetries: 10, retryDelay: 50 });
    },
  };
}
