import { expect, test } from 'vitest';
import { type Answer, serviceOver } from '../support/api.ts';
import { emulatedWorld } from '../support/emulated-world.ts';
import { inMemoryWorld } from '../support/in-memory-world.ts';
import { page } from '../support/pages.ts';

const URL = 'https://example.com/';
const SCRAPE = '/api/v1/scraper';

async function overEmulators() {
  const emulated = await emulatedWorld();
  const memory = inMemoryWorld();
  memory.web[URL] = page('hello');
  const { jobs, results, accounts } = emulated;
  const world = { ...memory, jobs: { ...memory.jobs, ...jobs }, results, accounts };
  return { world, service: serviceOver(world), [Symbol.asyncDispose]: () => emulated[Symbol.asyncDispose]() };
}

test('a balance of one credit buys exactly one of a hundred scrapes at once', async () => {
  await using it = await overEmulators();
  const { key } = await it.service.organization({ overrides: { credits: 1, rpm: 1_000, concurrency: 200 } });
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => it.service.post(SCRAPE, key, { url: URL })),
  );
  const byStatus = Object.groupBy(answers, ({ status }) => status);
  expect(byStatus[200]).toHaveLength(1);
  expect(byStatus[402]).toHaveLength(99);
  for (const { headers } of byStatus[402] ?? []) expect(headers['X-Credits-Used']).toBe('0');
});

test(
  'three hundred jobs of mixed cost use what they say they used, to the credit',
  { timeout: 120_000 },
  async () => {
    await using it = await overEmulators();
    it.world.web['https://broken.example/'] = page('sorry', { status: 500 });
    const { key, orgId } = await it.service.organization({
      overrides: { credits: 1_000, rpm: 1_000, concurrency: 300, readsPerMinute: 10_000 },
    });
    const submit = async (i: number) => {
      const url = i % 7 === 0 ? 'https://broken.example/' : URL;
      const { json } = await it.service.post(`${SCRAPE}/jobs`, key, { url, render_js: i % 3 === 0 });
      return String(json.job_id);
    };
    const jobs: Answer[] = [];
    // No more at once than the emulator answers in time on a machine that has other things to do.
    for (let at = 0; at < 300; at += 30) {
      const batch = await Promise.all(Array.from({ length: 30 }, (_, i) => submit(at + i)));
      await Promise.all([it.service.work(batch), it.service.work(batch.slice(0, 15))]);
      const ask = (id: string) => it.service.ask(`${SCRAPE}/jobs/${id}`, { key });
      jobs.push(...(await Promise.all(batch.map(ask))));
    }
    expect(jobs.filter(({ json }) => json.status !== 'completed').map(({ json }) => json)).toEqual([]);
    const charged = jobs.reduce((sum, { json }) => sum + Number(json.credits_used), 0);
    expect(charged).toBeGreaterThan(400);
    const organization = await it.world.accounts.findOrganization(orgId);
    if (!organization) throw new Error('The organization is gone.');
    expect(await it.world.accounts.usage(organization, it.world.now())).toMatchObject({
      used: charged,
      available: 1_000 - charged,
      slots: {},
    });
  },
);

test('never more scrapes at once than the concurrency, and the others are told when to come back', async () => {
  await using it = await overEmulators();
  const { key } = await it.service.organization({ overrides: { concurrency: 3, rpm: 1_000 } });
  const gate = Promise.withResolvers<undefined>();
  let atOnce = 0;
  let most = 0;
  it.world.web[URL] = async () => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    await gate.promise;
    atOnce -= 1;
    return page('slow');
  };
  const refused: Answer[] = [];
  const answers = Array.from({ length: 30 }, async () => {
    const answer = await it.service.post(SCRAPE, key, { url: URL, timeout: 60_000 });
    if (answer.status !== 200) refused.push(answer);
  });
  // The places are taken until all others have been told.
  await expect.poll(() => [atOnce, refused.length], { timeout: 20_000 }).toEqual([3, 27]);
  gate.resolve(undefined);
  await Promise.all(answers);
  expect(most).toBe(3);
  for (const { json, headers } of refused) {
    expect(json.code).toBe('too_many_concurrent');
    expect(headers['Retry-After']).toBe(String(json.retry_after));
    expect(json.retry_after).toBeOneOf([2, 3, 4, 5]);
  }
});
