import { afterAll, describe, expect, test } from 'vitest';
import type { SettledPage } from '../fixtures/settled/settled-page.ts';
import { pathOf, settledSite } from '../fixtures/settled/site.ts';
import { ownStack } from '../support/stack/shared-stack.ts';

const ROUNDS = 10;

const site = await settledSite();
afterAll(() => site[Symbol.asyncDispose]());
const { client } = await ownStack({ egressAllow: site.hosts });

describe.concurrent('ten times in a row, callers get the final content by sync call and as a job of', () => {
  test.each(site.pages)('$name', async (page) => {
    const request = { url: site.origin + pathOf(page), render_js: true, timeout: 60_000 };
    for (let round = 1; round <= ROUNDS; round++) {
      const [sync, job] = await Promise.all([client.scrape(request), client.submit(request)]);
      await check(page, sync);
      await client.settled(job);
      await check(page, await client.result(job));
    }
  });
});

async function check({ holds, lacks, state }: SettledPage, answer: Response): Promise<void> {
  const html = await answer.text();
  expect(answer.status).toBe(200);
  expect(holds.filter((part) => !html.includes(part))).toEqual([]);
  expect(lacks.filter((part) => html.includes(part))).toEqual([]);
  if (state !== 'either') expect(answer.headers.get('x-render-state')).toBe(state);
}
