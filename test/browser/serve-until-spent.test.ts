// @module-tag soak
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, inject, test } from 'vitest';
import type { Lifetime } from '../../functions/browser/serve.ts';
import { unpackChromium } from '../../infra/constructs/unpack-chromium.ts';
import { descendantsOf, processes } from '../../local/lambda/process-tree.ts';
import { areGone, localFunction } from '../support/stack/local-functions.ts';
import { extent } from '../support/world/extent.ts';
import { renderSite } from '../support/servers/render-site.ts';

const BYTES = 10_000_000;
/** Random bytes, which are not compressed on the way. */
const LARGE = randomBytes(BYTES);

const BROWSER = new URL('../../functions/browser/', import.meta.url);

// Bundled CommonJS packages call require for Node's own modules.
const REQUIRE = `import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);`;

/** The browser function with the settings of its variables. It logs the process that serves. */
const source = await bundled(/* js */ `
  import { isolates } from './launch/isolates.ts';
  import { serveUntilSpent } from './serve.ts';
  const { chromiumDir, host, processes, lifetime } = JSON.parse(process.env.SETTINGS);
  const browsers = isolates({ chromiumDir, policy: { allow: [host] }, processes });
  const log = { info() {}, warn() {}, error() {} };
  await browsers.keepWarm();
  const serve = serveUntilSpent({ isolates: browsers, log, count: () => {} }, lifetime);
  export const handler = awslambda.streamifyResponse((event, stream) => {
    console.log(process.pid);
    return serve(event, stream);
  });`);

/** In one file, because each process would take a second to load the modules of packages. */
async function bundled(contents: string): Promise<string> {
  const resolveDir = fileURLToPath(BROWSER);
  const { outputFiles } = await build({
    stdin: { contents, resolveDir },
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js: REQUIRE },
    // Scripts for pages are read from beside this file.
    define: { 'import.meta.url': JSON.stringify(new URL('page/page-script.ts', BROWSER)) },
    write: false,
  });
  return outputFiles.map(({ text }) => text).join('');
}

/** The browser function behind the Runtime API, with this lifetime. */
async function browserFunction(host: string, lifetime: Lifetime, chromiumDir?: string) {
  const processes = inject('processes');
  const settings = { chromiumDir: chromiumDir ?? (await unpackChromium()), host, processes, lifetime };
  const variables = { SETTINGS: JSON.stringify(settings) };
  return localFunction(source, { maxEnvironments: 1, variables });
}

test.each([
  ['has served its number of scrapes', { scrapes: 2, kills: 9, freeBytes: 0 }, [0, 0, 1]],
  ['has little space left in /tmp', { scrapes: 9, kills: 9, freeBytes: Number.MAX_SAFE_INTEGER }, [0, 1]],
])(
  'an environment that %s exits after its response, and the next one serves',
  async (_, lifetime, expected) => {
    await using site = await renderSite({
      '/': (__, response) => response.writeHead(200, { 'Content-Type': 'image/png' }).end(LARGE),
    });
    await using browser = await browserFunction(site.host, lifetime);
    for (const turn of expected.keys()) {
      const event = { requestId: `${turn}`, url: `${site.origin}/`, timeoutMs: 10_000 };
      const { bytes, errorCode } = await browser.stream(event);
      expect(errorCode).toBeUndefined();
      expect(JSON.parse(bytes.toString('utf8', 0, bytes.indexOf('\n')))).toMatchObject({ outcome: 'page' });
      expect(bytes.byteLength - bytes.indexOf('\n') - 1).toBe(BYTES);
    }
    const pids = [...new Set(browser.messages.map(Number))];
    expect(browser.messages.map((line) => pids.indexOf(Number(line)))).toEqual(expected);
    await expect.poll(() => areGone(pids.slice(0, expected.at(-1)))).toBe(true);
  },
);

const FAILING: readonly [
  what: string,
  wanted: { kills: number; chromiumDir?: string },
  expected: number[],
][] = [
  ['has killed its number of browsers', { kills: 2 }, [0, 0, 1]],
  ['cannot start a browser', { kills: 9, chromiumDir: '/nowhere' }, [0, 1]],
];

test.each(extent(FAILING.slice(0, 1), FAILING))(
  'an environment that %s exits after its error response, and the next one serves',
  async (_, { kills, chromiumDir }, expected) => {
    await using browser = await browserFunction(
      'localhost:1',
      { scrapes: 9, kills, freeBytes: 0 },
      chromiumDir,
    );
    for (const turn of expected.keys()) {
      const { bytes } = await browser.stream({
        requestId: `${turn}`,
        url: 'http://localhost:1/',
        timeoutMs: 10_000,
      });
      expect(JSON.parse(bytes.toString())).toMatchObject({ outcome: 'error' });
    }
    const pids = [...new Set(browser.messages.map(Number))];
    expect(browser.messages.map((line) => pids.indexOf(Number(line)))).toEqual(expected);
  },
);

test('a refused request does not use up the warm browser', async () => {
  await using browser = await browserFunction('localhost:1', { scrapes: 9, kills: 9, freeBytes: 0 });
  for (let turn = 0; turn < 3; turn += 1) {
    const { bytes } = await browser.stream({ requestId: 'none' });
    expect(JSON.parse(bytes.toString())).toMatchObject({ outcome: 'error', code: 'internal' });
  }
  expect(await browsersOf(Number(browser.messages[0]))).toBe(1);
});

/** Browsers started by a process: their child processes have a --type flag. */
async function browsersOf(pid: number): Promise<number> {
  const below = descendantsOf(pid, await processes());
  const commands = await Promise.all(
    below.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')),
  );
  return commands.filter((command) => command.includes('--user-data-dir') && !command.includes('--type='))
    .length;
}
