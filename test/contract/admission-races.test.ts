import { expect, test } from 'vitest';
import type { Answer } from '../support/world/api.ts';
import { mixedJobs, overEmulators, SCRAPE, URL } from '../support/life/mixed-jobs.ts';
import { page } from '../support/world/pages.ts';

test('a balance of one credit pays for exactly one of ten simultaneous scrapes', async () => {
  await using it = await overEmulators();
  const { key } = await it.service.organization({ overrides: { credits: 1, rpm: 1_000, concurrency: 200 } });
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => it.service.post(SCRAPE, key, { url: URL })),
  );
  const byStatus = Object.groupBy(answers, ({ status }) => status);
  expect(byStatus[200]).toHaveLength(1);
  expect(byStatus[402]).toHaveLength(9);
  for (const { headers } of byStatus[402] ?? []) expect(headers['X-Credits-Used']).toBe('0');
});

test('thirty jobs of mixed cost use exactly the credits that they report', { timeout: 60_000 }, async () => {
  const { jobs, usage, granted } = await mixedJobs(30);
  expect(jobs.filter(({ status }) => status !== 'completed')).toEqual([]);
  const charged = jobs.reduce((sum, { credits_used: credits }) => sum + Number(credits), 0);
  expect(charged).toBeGreaterThan(30);
  expect(usage).toMatchObject({
    credits: { used: charged, available: granted - charged },
    slots: { inUse: {} },
  });
});

test('scrapes above the concurrency are refused with Retry-After', async () => {
  await using it = await overEmulators();
  const { key } = await it.service.organization({ overrides: { concurrency: 3, rpm: 1_000 } });
  const gate = Promise.withResolvers<undefined>();
  let forEachConcurrently = 0;
  let most = 0;
  it.world.web[URL] = async () => {
    forEachConcurrently += 1;
    most = Math.max(most, forEachConcurrently);
    await gate.promise;
    forEachConcurrently -= 1;
    return page('slow');
  };
  const refused: Answer[] = [];
  const answers = Array.from({ length: 30 }, async () => {
    const answer = await it.service.post(SCRAPE, key, { url: URL, timeout: 60_000 });
    if (answer.status !== 200) refused.push(answer);
  });
  // The slots are held until all others are refused.
  await expect.poll(() => [forEachConcurrently, refused.length], { timeout: 20_000 }).toEqual([3, 27]);
  gate.resolve(undefined);
  await Promise.all(answers);
  expect(most).toBe(3);
  for (const { json, headers } of refused) {
    expect(json.code).toBe('too_many_concurrent');
    expect(headers['Retry-After']).toBe(String(json.retry_after));
    expect(json.retry_after).toBeOneOf([2, 3, 4, 5]);
  }
});
