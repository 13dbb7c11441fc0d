import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readLocalEnv } from '../../shared/local-config.ts';
import { keyedProxy } from '../support/servers/keyed-proxy.ts';
import { sharedStack } from '../support/stack/shared-stack.ts';
import { newOrganization } from '../support/world/organization.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const stack = await sharedStack();
const { api_key: key } = await newOrganization(stack.storage, { plan: 'business' });
/** The suite cannot send a key. */
const service = await keyedProxy(stack.baseUrl, key);
afterAll(() => service[Symbol.asyncDispose]());

/** Runs a suite, of which exactly the checks that the file lists may fail. */
async function conformance(name: string, ...chosen: string[]): Promise<{ code: unknown; output: string }> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'conformance-'));
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; output: string }>();
  const args = ['server', '--url', `${service.url}/mcp`, ...chosen, '--output-dir', folder.path];
  execFile(
    process.execPath,
    [here(`node_modules/${name}/dist/index.js`), ...args, '--expected-failures', here(`${name}.yml`)],
    { env: { PATH: readLocalEnv().path, NO_COLOR: '1' }, maxBuffer: 64 * 1_024 * 1_024 },
    (error, stdout, stderr) => resolve({ code: error?.code ?? 0, output: stdout + stderr }),
  );
  return await promise;
}

test.each([
  ['2025-11-25', 'conformance-2025', ['--suite', 'all']],
  ['2026-07-28', 'conformance-2026', ['--requirements', '2026-07-28']],
])('the endpoint for agents conforms to the protocol of %s', async (_, name, chosen) => {
  const { code, output } = await conformance(name, ...chosen);
  const summary = output.slice(output.indexOf('=== SUMMARY ==='));
  expect(summary).toMatch(/✓ tools-list: [1-9]/);
  expect(code, summary).toBe(0);
});
