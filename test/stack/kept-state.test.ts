import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { localStack } from '../support/stack/local-stack.ts';
import { assemblyOfStacks } from '../support/stack/shared-stack.ts';

type Account = { credits: { used: number; held: number } };

test('a stack that starts again has its key, demo site, jobs and results, and ends what was begun', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sitefetch-kept-'));
  const choices = { assembly: await assemblyOfStacks(), localDir: folder.path };
  const first = await localStack(choices);
  const { apiKey, demoSite } = first;
  // Linux gives the others to connections, of which some are open when the stack starts again.
  expect(Number(new URL(demoSite).port)).toBeLessThan(32_768);
  const done = await first.client.submit({ url: demoSite });
  await first.client.settled(done);
  const page = await (await first.client.result(done)).text();
  // Its lease outlasts this test, and so would its slot and its credits.
  const unfinished = await first.client.submit({ url: `${demoSite}/slow?ms=3000`, timeout: 120_000 });
  await expect.poll(async () => (await first.client.job(unfinished)).status).toBe('running');
  await first[Symbol.asyncDispose]();

  await using second = await localStack(choices);
  expect(second).toMatchObject({ apiKey, demoSite });
  expect(await (await second.client.result(done)).text()).toBe(page);
  const { job } = await second.client.settled(unfinished);
  expect(job).toMatchObject({ status: 'completed', attempts: 2 });
  const held = async () => {
    const { credits } = (await (await second.client.get('/api/v1/account')).json()) as Account;
    return [credits.used, credits.held];
  };
  await expect.poll(held).toEqual([2, 0]);
});
