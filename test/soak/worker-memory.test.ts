import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { workerEnvironment } from '../support/browser/worker-environment.ts';
import { MAX_PAGE_BYTES } from '../../shared/contract/scrape/page.ts';
import { assemblyOfStacks } from '../support/stack/shared-stack.ts';
import { targetServer } from '../support/servers/target-server.ts';

const BATCH = 10;
const MEGABYTES_PER_MEBIBYTE = 1.048_576;

/** Slightly below the limit, because gzip adds some bytes. */
const largest = Buffer.alloc(MAX_PAGE_BYTES - 100_000, '<tr><td>Lorem ipsum dolor sit amet.</td></tr>\n');
/** The page that uses most memory in a worker: as large on the wire as decoded. */
const twiceStored = gzipSync(gzipSync(largest, { level: 0 }), { level: 0 });

test('ten of the largest pages at once leave a fifth of the memory free', async () => {
  await using site = await targetServer((_, response) =>
    response
      .writeHead(200, { 'Content-Type': 'text/html', 'Content-Encoding': 'gzip, gzip' })
      .end(twiceStored),
  );
  await using worker = await workerEnvironment({ assembly: await assemblyOfStacks(), allow: [site.host] });
  const ids = await Promise.all(Array.from({ length: BATCH }, () => worker.accept({ url: site.origin })));
  expect(await worker.work(ids)).toEqual([]);
  expect((await Promise.all(ids.map((id) => worker.jobs.find(id)))).map((job) => job?.status)).toEqual(
    ids.map(() => 'completed'),
  );
  expect(await worker.peakMb()).toBeLessThan(0.8 * worker.memoryMb * MEGABYTES_PER_MEBIBYTE);
});
