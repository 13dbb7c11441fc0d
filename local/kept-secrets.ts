import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeWhole } from './write-whole.ts';

const BYTES = 48;

/** The values of the templates' secrets, made once: what is stored was encrypted with them. */
export async function keptSecrets(folder: string, names: readonly string[]): Promise<Record<string, string>> {
  const file = join(folder, 'secrets.json');
  const text = await readFile(file, 'utf8').catch(() => '{}');
  const kept = z.record(z.string(), z.string()).parse(JSON.parse(text));
  const made = names.filter((name) => !(name in kept));
  for (const name of made) kept[name] = randomBytes(BYTES).toString('base64url');
  if (made.length > 0) await writeWhole(file, `${JSON.stringify(kept, null, 2)}\n`);
  return kept;
}
