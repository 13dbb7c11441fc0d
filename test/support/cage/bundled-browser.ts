import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFunctions } from '../../../infra/constructs/bundle-functions.ts';
import { cagedFunction, type CagedFunction } from './caged-function.ts';

/** The browser function as it is deployed, in a cage. It has started already, as far as it does. */
export async function bundledBrowser(
  options: { allow?: string; variables?: Record<string, string> } = {},
): Promise<CagedFunction & { startMs: number }> {
  const folder = await mkdtempDisposable(join(tmpdir(), 'bundled-browser-'));
  const { browser: taskRoot } = await bundleFunctions(folder.path);
  const browser = await cagedFunction({ taskRoot, ...options });
  const startedAt = performance.now();
  await browser.warmUp();
  return {
    ...browser,
    /** How long its start took, the cage's included. */
    startMs: performance.now() - startedAt,
    async [Symbol.asyncDispose]() {
      await browser[Symbol.asyncDispose]();
      await folder.remove();
    },
  };
}
