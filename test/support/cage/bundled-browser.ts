import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleCode } from '../../../infra/constructs/bundle-functions.ts';
import { cagedFunction, type CagedFunction } from './caged-function.ts';

/** The browser function as deployed, in a cage. Its start has succeeded or failed already. */
export async function bundledBrowser(
  options: { allow?: string; variables?: Record<string, string> } = {},
): Promise<CagedFunction> {
  const folder = await mkdtempDisposable(join(tmpdir(), 'bundled-browser-'));
  const { browser: taskRoot } = await bundleCode(folder.path, ['browser']);
  const browser = await cagedFunction({ taskRoot, ...options });
  await browser.warmUp();
  return {
    ...browser,
    async [Symbol.asyncDispose]() {
      await browser[Symbol.asyncDispose]();
      await folder.remove();
    },
  };
}
