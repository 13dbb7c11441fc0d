import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import { readLocalEnv } from '../shared/local-config.ts';

/** A stack that was killed leaves its file behind. */
export const STOPPED = 'The local stack has stopped. Run "npm start" again.';

/** What `npm start` writes into its folder while it runs. Throws if there is nothing. */
export async function readStackFile<Schema extends z.ZodType>(
  schema: Schema,
  localDir = readLocalEnv().localDir,
): Promise<z.output<Schema>> {
  const file = join(localDir, 'stack.json');
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Error(`No local stack is running: ${file} does not exist. Run "npm start" first.`, { cause });
  });
  return schema.parse(JSON.parse(text));
}

/** Throws unless something answers at the stack's address. */
export async function assertRuns(baseUrl: string): Promise<void> {
  await fetch(baseUrl).catch((cause: unknown) => {
    throw new Error(STOPPED, { cause });
  });
}
