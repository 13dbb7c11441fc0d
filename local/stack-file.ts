import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const StackFile = z.object({ base_url: z.string(), pid: z.number() });

/** Writes the facts of a running stack for other programs, as JSON in its folder. Removed when it stops. */
export async function writeStackFile(folder: string, content: object): Promise<AsyncDisposable> {
  const file = join(folder, 'stack.json');
  // It holds an API key.
  await writeFile(file, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  return { [Symbol.asyncDispose]: () => rm(file, { force: true }) };
}

/** Throws if a stack runs on this folder. The file of a killed one does not count. */
export async function assertNoneRuns(folder: string): Promise<void> {
  const text = await readFile(join(folder, 'stack.json'), 'utf8').catch(() => '{}');
  const { success, data } = StackFile.safeParse(JSON.parse(text));
  if (!success) return;
  const answers = await fetch(data.base_url).then(
    () => true,
    () => false,
  );
  if (!answers) return;
  throw new Error(
    `A local stack (process ${data.pid}) already runs at ${data.base_url}. Stop it, or set LOCAL_DIR and PORT.`,
  );
}
