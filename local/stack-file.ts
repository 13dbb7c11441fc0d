import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const StackFile = z.object({ base_url: z.string(), pid: z.number() });

/** What other programs may want to know of a running stack: JSON in its folder, there as long as it runs. */
export async function writeStackFile(folder: string, content: object): Promise<AsyncDisposable> {
  const file = join(folder, 'stack.json');
  // It holds an API key.
  await writeFile(file, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  return { [Symbol.asyncDispose]: () => rm(file, { force: true }) };
}

/** Throws if a stack still runs on this folder; the file of one that was killed does not count. */
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
