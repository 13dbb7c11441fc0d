import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { kill } from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { browserFunction, type BrowserFunction } from '../support/browser/browser-function.ts';
import { signalTree } from '../support/stack/signal-tree.ts';
import { bundleCode } from '../../infra/constructs/bundle-functions.ts';
import { unpackChromium } from '../../infra/constructs/unpack-chromium.ts';
import { chromiumProcesses } from '../support/browser/chromium.ts';
import { renderSite } from '../support/servers/render-site.ts';

/** Longer than any timeout for a late response. */
const FROZEN_MS = 3_000;

const resources = new AsyncDisposableStack();
afterAll(() => resources.disposeAsync());
let lambda: BrowserFunction;
let url: string;
/** Browser processes while the page was half loaded. */
let loading: number[] = [];

beforeAll(async () => {
  const site = resources.use(
    await renderSite({
      '/': '<p>page<script src=/script.js></script>',
      '/script.js': (_, response) =>
        void chromiumProcesses().then((all) => {
          loading = all;
          response.end('document.body.append("whole")');
        }),
    }),
  );
  const bundles = resources.use(await mkdtempDisposable(`${tmpdir()}/sitefetch-thaw-`));
  const { browser: taskRoot } = await bundleCode(bundles.path, ['browser']);
  lambda = resources.use(
    await browserFunction({ taskRoot, chromiumDir: await unpackChromium(), allow: site.host }),
  );
  await lambda.warmUp();
  url = `${site.origin}/`;
});

/** Freezes the environment and its child processes, like Lambda between invocations. */
async function freeze(whileFrozen?: () => void): Promise<void> {
  const [environment = 0] = lambda.pids();
  await signalTree(environment, 'SIGSTOP');
  whileFrozen?.();
  await setTimeout(FROZEN_MS);
  await signalTree(environment, 'SIGCONT');
}

/** The warm browser, once the environment is idle. */
async function waitingBrowser(): Promise<number> {
  await vi.waitUntil(() => lambda.idle() === 1, { timeout: 10_000 });
  const [leader = 0] = await chromiumProcesses();
  return leader;
}

test('a thawed environment renders the next page in its warm browser', async () => {
  const environments = lambda.pids();
  const waiting = await waitingBrowser();
  await freeze();
  expect(await lambda.render(url)).toContain('whole');
  expect(loading).toContain(waiting);
  expect(lambda.pids()).toEqual(environments);
});

test('a thawed environment whose browser was killed renders the next page in a new one', async () => {
  const environments = lambda.pids();
  const waiting = await waitingBrowser();
  await freeze(() => void kill(-waiting, 'SIGKILL'));
  expect(await lambda.render(url)).toContain('whole');
  expect(loading).not.toContain(waiting);
  expect(lambda.pids()).toEqual(environments);
});
