import { fileURLToPath } from 'node:url';
import { LOCAL_CONTEXT, synthesise } from '../../../local/synthesise.ts';
import { readLocalEnv } from '../../../shared/local-config.ts';

/** Kept between runs, so that Chromium is copied into it once. */
const FOLDER = fileURLToPath(new URL('../../../.cache/stack-tests/', import.meta.url));

/** Synthesises the stacks with this context into a cloud assembly of their own. */
export async function synthesised(folder: string, context: string[] = []): Promise<string> {
  const output = `${FOLDER}${folder}`;
  const { signal } = new AbortController();
  await synthesise({ output, path: readLocalEnv({}).path, context: [...LOCAL_CONTEXT, ...context], signal });
  return output;
}
