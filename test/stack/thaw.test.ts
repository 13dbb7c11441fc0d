import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { kill } from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { browserFunction, type BrowserFunction } from '../../bench/browser-function.ts';
import { signalTree } from '../../bench/processes.ts';
import { bundleFunctions } from '../../infra/constructs/bundle-functions.ts';
import { unpackChromium } from '../../infra/constructs/unpack-chromium.ts';
import { chromiumProcesses } from '../support/chromium.ts';
import { renderSite } from '../support/render-site.ts';

/** Longer than anything waits for an answer that is late: the benchmark does it for a minute. */
const FROZEN_MS = 3_000;

const resources = new AsyncDisposableStack();
afterAll(() => resources.disposeAsync());
let lambda: BrowserFunction;
let url: string;
/** Browser processes that were there when the page was half loaded. */
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
  const { browser: taskRoot } = await bundleFunctions(bundles.path);
  lambda = resources.use(
    await browserFunction({ taskRoot, chromiumDir: await unpackChromium(), allow: site.host }),
  );
  await lambda.warmUp();
  url = `${site.origin}/`;
});

/** Stops the environment with all that it has started, as Lambda does between invocations, for a while. */
async function freeze(meanwhile?: () => void): Promise<void> {
  const [environment = 0] = lambda.pids();
  await signalTree(environment, 'SIGSTOP');
  meanwhile?.();
  await setTimeout(FROZEN_MS);
  await signalTree(environment, 'SIGCONT');
}

/** The browser that waits for the next page, once the environment has nothing else to do. */
async function waitingBrowser(): Promise<number> {
  await vi.waitUntil(() => lambda.idle() === 1);
  const [leader = 0] = await chromiumProcesses();
  return leader;
}

test('a thawed environment gives the next page with the browser that waited', async () => {
  const environments = lambda.pids();
  const waiting = await waitingBrowser();
  await freeze();
  expect(await lambda.render(url)).toContain('whole');
  expect(loading).toContain(waiting);
  expect(lambda.pids()).toEqual(environments);
});

test('one whose browser was killed meanwhile gives it with another, and stays', async () => {
  const environments = lambda.pids();
  const waiting = await waitingBrowser();
  await freeze(() => void kill(-waiting, 'SIGKILL'));
  expect(await lambda.render(url)).toContain('whole');
  expect(loading).not.toContain(waiting);
  expect(lambda.pids()).toEqual(environments);
});
