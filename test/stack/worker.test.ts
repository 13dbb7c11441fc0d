// @module-tag soak
import type { ServerResponse } from 'node:http';
import { constants, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type WorkerEnvironment, workerEnvironment } from '../support/browser/worker-environment.ts';
import { MAX_PAGE_BYTES } from '../../shared/contract/scrape/page.ts';
import { assemblyOfStacks } from '../support/stack/shared-stack.ts';
import { targetServer } from '../support/servers/target-server.ts';

const QUICK = 7;
const DRIP_MS = 100;

const html = { 'Content-Type': 'text/html' };
/** Slightly below the limit, because gzip adds some bytes. */
const largest = Buffer.alloc(MAX_PAGE_BYTES - 100_000, '<tr><td>Lorem ipsum dolor sit amet.</td></tr>\n');
const compressed = gzipSync(largest, { level: constants.Z_BEST_SPEED });

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write('.'), DRIP_MS);
  response.writeHead(200, html).once('close', () => clearInterval(timer));
}

const statuses = async ({ jobs }: WorkerEnvironment, ids: readonly string[]) =>
  (await Promise.all(ids.map((id) => jobs.find(id)))).map((job) => job?.status);

test('quick jobs of a batch finish while one drips, one is large and one renders slowly', async () => {
  const rendered = Promise.withResolvers<ServerResponse>();
  await using site = await targetServer(({ url }, response) => {
    if (url === '/drip') drip(response);
    else if (url === '/rendered') rendered.resolve(response);
    else if (url === '/large')
      response.writeHead(200, { ...html, 'Content-Encoding': 'gzip' }).end(compressed);
    else response.writeHead(200, html).end('<p>quick</p>');
  });
  await using worker = await workerEnvironment({ assembly: await assemblyOfStacks(), allow: [site.host] });
  const accept = (path: string, more = {}) => worker.accept({ url: site.origin + path, ...more });
  const dripping = await accept('/drip', { timeout: 6_000 });
  const slow = await accept('/rendered', { renderJs: true });
  const large = await accept('/large');
  const quick = await Promise.all(Array.from({ length: QUICK }, () => accept('/quick')));

  const working = worker.work([dripping, slow, large, ...quick]);
  const held = await rendered.promise;
  await expect.poll(() => statuses(worker, quick), { timeout: 5_000 }).toEqual(quick.map(() => 'completed'));
  expect(await statuses(worker, [dripping, slow])).toEqual(['running', 'running']);

  held.writeHead(200, html).end('<p>at last</p>');
  // The job whose target drips until the timeout is retried.
  const left = await working;
  expect(left).toContain(dripping);
  expect(await statuses(worker, [dripping, slow, large])).toEqual(['running', 'completed', 'completed']);
  // Messages of completed jobs are left when a write's answer came too late. They end with the next delivery.
  expect(await worker.work(left.filter((id) => id !== dripping))).toEqual([]);
});
