import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../shared/time/units.ts';
import { newService, serviceOver } from '../support/world/api.ts';
import { atEveryCall, type Death, mortal } from '../support/world/mortal.ts';
import { page } from '../support/world/pages.ts';

const SCRAPE = '/api/v1/scraper';
const url = 'https://shop.example/';

/** A service whose target never returns the same page twice. */
async function changing() {
  const made = await newService({ allow: [] }, { overrides: { credits: 1_000 } });
  let version = 0;
  made.world.web[url] = () => Promise.resolve(page(`<p>Version ${(version += 1)} of the page</p>`, { url }));
  return made;
}

type Changing = Awaited<ReturnType<typeof changing>>;

/** What a process with these ports does until it dies, as a service. */
function dying({ world }: Changing, death: Death) {
  const { pageCache, results, jobs, usage, activity } = world;
  const { hasDied, ...ports } = mortal({ pageCache, results, jobs, usage, activity }, death);
  return { hasDied, ...serviceOver({ ...world, ...ports }) };
}

/** A kept page is the delivered one; without it, the page is fetched again. */
async function expectRight({ service, key }: Changing, delivered: string | undefined) {
  const { text, headers } = await service.post(SCRAPE, key, { url, max_age: 3_600 });
  if (headers['X-Cache'] === 'hit') expect(text).toBe(delivered ?? '<p>Version 1 of the page</p>');
  else expect([headers['X-Cache'], headers['X-Credits-Used']]).toEqual(['miss', '1']);
  const again = await service.post(SCRAPE, key, { url, max_age: 3_600 });
  expect([again.headers['X-Cache'], again.text]).toEqual(['hit', text]);
}

test('a scrape that dies at any point leaves the right page, or none', async () => {
  await atEveryCall(changing, async (made, death) => {
    const { post, hasDied } = dying(made, death);
    const answer = await post(SCRAPE, made.key, { url, max_age: 3_600 });
    await expectRight(made, answer.status === 200 ? answer.text : undefined);
    return hasDied();
  });
});

test('a job that dies at any point leaves the right page, or none', async () => {
  await atEveryCall(changing, async (made, death) => {
    const { world, service, key } = made;
    const { json } = await service.post(`${SCRAPE}/jobs`, key, { url, max_age: 3_600 });
    const path = `${SCRAPE}/jobs/${String(json['job_id'])}`;
    const { work, hasDied } = dying(made, death);
    await work().catch(() => undefined);
    for (let n = 0; n < 5; n += 1) {
      world.pass(10 * MINUTE_MS);
      await service.sweep();
      await service.work();
    }
    const result = await service.ask(`${path}/result`, { key });
    // Not even its own page, which it had kept before it died, is free.
    const { credits_used: credits, credits_reason: reason } = (await service.ask(path, { key })).json;
    expect([credits, reason]).toEqual([1, 'page']);
    await expectRight(made, result.text);
    return hasDied();
  });
});

test('a line of a batch that dies at any point is charged once', async () => {
  await atEveryCall(changing, async (made, death) => {
    const { world, service, key } = made;
    const requests = [{ url, max_age: 3_600 }];
    const { json } = await service.post(`${SCRAPE}/batches`, key, { requests });
    const { work, hasDied } = dying(made, death);
    await work().catch(() => undefined);
    for (let n = 0; n < 5; n += 1) {
      world.pass(10 * MINUTE_MS);
      for (const sweep of [service.sweep, service.sweepBacklogs, service.sweepBatches, service.sweepChunks])
        await sweep();
      await service.work();
    }
    const batch = await service.ask(`${SCRAPE}/batches/${String(json['batch_id'])}`, { key });
    expect([batch.json['status'], batch.json['credits_used']]).toEqual(['completed', 1]);
    return hasDied();
  });
});
