import { expect, test } from 'vitest';
import { HOUR_MS } from '../../shared/time/units.ts';
import { key, newServiceEachTest, service, shown, submitJob, world } from '../support/world/each-test.ts';
import { page } from '../support/world/pages.ts';

const SCRAPE = '/api/v1/scraper';
const BATCHES = `${SCRAPE}/batches`;
const WORDS = 'Blue shoes, sizes 36 to 44, in stock and sent within two days of your order.';
const urls = ['https://shop.example/a', 'https://shop.example/shell', 'https://shop.example/gone'];

newServiceEachTest({ policy: { allow: [], hasPremiumProxy: true }, overrides: { credits: 1_000 } });

type Line = { credits: number; reason: string; cache?: string };

test('activity, usage and the headers of repeats, ladders and others add up to the same credits', async () => {
  for (const url of urls)
    world.web[url] = (_, { renderJs, headers }) => {
      if (headers?.['If-None-Match'] === '"1"') return Promise.resolve(page('', { url, status: 304 }));
      const isShell = url.endsWith('shell') && !renderJs;
      const body = isShell ? '<div id="app"></div><script src="/a.js"></script>' : `<p>${WORDS}</p>`;
      return Promise.resolve(
        page(body, { url, status: url.endsWith('gone') ? 500 : 200, headers: { etag: '"1"' } }),
      );
    };
  const reported: { credits: number; reason: string }[] = [];
  const jobs: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    for (const url of urls)
      for (const more of [{}, { mode: 'auto' }, { render_js: true }, { premium_proxy: true }]) {
        const request = { url, max_age: 3_600, ...more };
        const { headers } = await service.post(SCRAPE, key, request);
        reported.push({
          credits: Number(headers['X-Credits-Used']),
          reason: String(headers['X-Credits-Reason']),
        });
        jobs.push(await submitJob(request));
      }
    await service.work();
    world.pass(1.5 * HOUR_MS);
  }
  for (const id of jobs) {
    const { credits_used: credits, credits_reason: reason } = await shown(id);
    reported.push({ credits: Number(credits), reason: String(reason) });
  }
  const batch = await service.post(BATCHES, key, {
    requests: urls.map((url) => ({ url })),
    defaults: { max_age: 3_600 },
  });
  await service.work();
  const { text } = await service.ask(`${BATCHES}/${String(batch.json['batch_id'])}/results`, { key });
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { credits_used: number; credits_reason: string });
  const all = [
    ...reported,
    ...lines.map((line) => ({ credits: line.credits_used, reason: line.credits_reason })),
  ];
  const sum = (list: readonly { credits: number }[]) =>
    list.reduce((total, { credits }) => total + credits, 0);
  const counted = (reason: string) => all.filter((each) => each.reason === reason).length;

  const activity = (await service.ask('/api/v1/account/activity?limit=100', { key })).json['data'] as Line[];
  const usage = (await service.ask('/api/v1/account/usage', { key })).json as {
    total: { scrapes: number; credits: number };
    data: { reasons: Record<string, number> }[];
  };
  const { credits } = (await service.ask('/api/v1/account', { key })).json as {
    credits: { used: number; held: number };
  };
  expect(activity).toHaveLength(reported.length);
  expect([sum(activity), usage.total.credits, credits.used, credits.held]).toEqual([
    sum(reported),
    sum(all),
    sum(all),
    0,
  ]);
  expect(usage.total.scrapes).toBe(all.length);
  for (const reason of ['page', 'cached', 'target_status']) {
    expect(counted(reason)).toBeGreaterThan(0);
    expect(usage.data.reduce((total, { reasons }) => total + (reasons[reason] ?? 0), 0)).toBe(
      counted(reason),
    );
  }
  expect(new Set(activity.map(({ cache }) => cache))).toEqual(new Set(['hit', 'miss', 'revalidated']));
});
