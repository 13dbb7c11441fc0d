import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStack, type LocalStack } from '../../local/start-stack.ts';
import { readLocalEnv } from '../../shared/config.ts';
import { ASSEMBLY } from './synthesised-stacks.ts';

export type TestStack = LocalStack & {
  localDir: string;
  /** The cloud assembly that it runs. */
  assembly: string;
  /** What the stack reported so far. */
  lines: string[];
};

/** The whole stack as `npm start` runs it, from the present code, on free ports and in a folder of its own. */
export async function localStack(egressAllow: string[] = [], assembly = ASSEMBLY): Promise<TestStack> {
  const { path } = readLocalEnv({});
  const localDir = await mkdtemp(join(tmpdir(), 'stack-'));
  const lines: string[] = [];
  const stack = await startStack({
    port: 0,
    localDir,
    egressAllow,
    path,
    assembly,
    report: (line) => lines.push(line),
  });
  return {
    ...stack,
    localDir,
    assembly,
    lines,
    async [Symbol.asyncDispose]() {
      await stack[Symbol.asyncDispose]();
      // Killed browsers may still write into it while they die.
      await rm(localDir, { recursive: true, maxRetries: 10, retryDelay: 50 });
    },
  };
}
