import { expect, test } from 'vitest';
import { expectedOf } from '../fixtures/crawls/expected.ts';
import { addresses, webOf } from '../fixtures/crawls/web.ts';
import { crawledWeb } from '../support/servers/crawled-web.ts';
import { targetServer } from '../support/servers/target-server.ts';

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  await using server = await targetServer(() => undefined, { address: addresses[0] ?? '' });
  return server.port;
}

test('the web that crawls are judged by has 20 hosts, as many pages as it should, and the same each time', () => {
  const web = webOf({ port: 8_080, pages: 5_000 });
  const expected = expectedOf(web, 25);
  expect(web.hosts).toHaveLength(20);
  expect(expected.pages.length).toBeGreaterThan(4_500);
  expect(expected.pages.length).toBeLessThan(5_500);
  const again = expectedOf(webOf({ port: 8_080, pages: 5_000 }), 25);
  expect([again.pages.flat().join(), [...again.others].join()]).toEqual([
    expected.pages.flat().join(),
    [...expected.others].join(),
  ]);
  expect([...new Set(expected.others.values())].sort()).toEqual([
    'depth',
    'failed',
    'out_of_scope',
    'robots',
    'too_long',
    'trap',
  ]);
});

test('every URL of that web is what is expected of it, and the log has each request', async () => {
  const web = webOf({ port: await freePort(), pages: 560 });
  await using served = await crawledWeb(web);
  const { pages, others } = expectedOf(web, 12);
  const open = pages.flat().filter((url) => new URL(url).hostname !== web.hosts.at(-4)?.address);
  for (const url of open) {
    const { status, body } = await fetch(url);
    expect(status, url).toBeLessThan(500);
    await body?.cancel();
  }
  for (const [url, outcome] of others) {
    if (outcome !== 'failed') continue;
    const status = await fetch(url).then(
      (answer) => answer.status,
      () => 0,
    );
    expect(status === 0 || status >= 500, url).toBe(true);
  }
  expect(served.visits.length).toBeGreaterThan(open.length);
  expect(served.visits.every(({ beganAt, endedAt }) => endedAt >= beganAt)).toBe(true);
});
