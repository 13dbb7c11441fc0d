import { afterAll, expect, test } from 'vitest';
import { settledSite, pathOf } from '../fixtures/settled/site.ts';
import { ownStack } from '../support/stack/shared-stack.ts';
import { forEachConcurrently } from '../../shared/time/for-each-concurrently.ts';

const RENDERS = 1_000;
const CONCURRENCY = 10;

const site = await settledSite();
afterAll(() => site[Symbol.asyncDispose]());
const { client } = await ownStack({ egressAllow: site.hosts });

test(`a thousand renders of mixed pages, ${CONCURRENCY} at a time, all return a page`, async () => {
  const pages = Array.from({ length: RENDERS }, (_, i) => site.pages[(i * 7) % site.pages.length]);
  const refused: string[] = [];
  await forEachConcurrently(CONCURRENCY, pages, async (page) => {
    if (page === undefined) return;
    const answer = await client.scrape({ url: site.origin + pathOf(page), render_js: true, timeout: 60_000 });
    const text = await answer.text();
    if (answer.status !== 200) refused.push(`${page.name}: ${answer.status} ${text.slice(0, 200)}`);
  });
  expect(refused).toEqual([]);
});
