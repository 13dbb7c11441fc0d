import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startStack, type LocalStack } from '../../local/start-stack.ts';
import { synthesise } from '../../local/synthesise.ts';
import { readLocalEnv } from '../../shared/config.ts';

/** Kept between runs, so that Chromium is copied into it once. */
const ASSEMBLY = fileURLToPath(new URL('../../.cache/stack-tests/cdk.out', import.meta.url));

export type TestStack = LocalStack & {
  localDir: string;
  /** The cloud assembly that it runs. */
  assembly: string;
  /** What the stack reported so far. */
  lines: string[];
};

/** The whole stack as `npm start` runs it, from the present code, on free ports and in a folder of its own. */
export async function localStack(egressAllow: string[] = [], context: string[] = []): Promise<TestStack> {
  const { path } = readLocalEnv({});
  const localDir = await mkdtemp(join(tmpdir(), 'stack-'));
  const lines: string[] = [];
  const { signal } = new AbortController();
  await synthesise({ output: ASSEMBLY, path, context, signal });
  const stack = await startStack({
    port: 0,
    localDir,
    egressAllow,
    path,
    assembly: ASSEMBLY,
    report: (line) => lines.push(line),
  });
  return {
    ...stack,
    localDir,
    assembly: ASSEMBLY,
    lines,
    async [Symbol.asyncDispose]() {
      await stack[Symbol.asyncDispose]();
      await rm(localDir, { recursive: true });
    },
  };
}
