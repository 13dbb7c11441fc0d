// @module-tag soak
import { afterAll, expect, inject, test } from 'vitest';
import { expectedOf } from '../fixtures/crawls/expected.ts';
import { webOf } from '../fixtures/crawls/web.ts';
import { assertAddsUp, crawled, faultsIn, impolitenessIn } from '../support/life/judged-crawl.ts';
import { crawledWeb } from '../support/servers/crawled-web.ts';
import { clientOf } from '../support/stack/client.ts';
import { sharedStack } from '../support/stack/shared-stack.ts';
import { newOrganization } from '../support/world/organization.ts';

const CONCURRENCY = 2;
const SMALL = ['same-pages', 'robots-fails'];
const LARGER = ['crawl-delay', 'shop-0', 'files', 'listed-pages', 'small-shop'];
const isWhole = inject('extent') === 'all';
const MAX_DEPTH = isWhole ? 6 : 2;

const stack = await sharedStack();
const only = isWhole ? [...SMALL, ...LARGER] : SMALL;
const web = webOf({ port: inject('crawlPort'), pages: 0, only });
const served = await crawledWeb(web);
afterAll(() => served[Symbol.asyncDispose]());

test('a crawl of several hosts has every URL once, and is polite', async () => {
  const { org_id: orgId, api_key: key } = await newOrganization(stack.storage, { plan: 'business' });
  const client = clientOf(stack.baseUrl, key);
  const request = { urls: web.seeds, limit: 10_000, max_depth: MAX_DEPTH, concurrency: CONCURRENCY };
  const first = await crawled(client, request);
  expect(faultsIn(first.ledger, expectedOf(web, MAX_DEPTH))).toEqual([]);
  expect(first.view).toMatchObject({ status: 'completed', stop_reason: 'done' });
  const again = isWhole ? [await crawled(client, { ...request, tags: ['again'] })] : [];
  for (const { ledger } of again) expect(ledger).toEqual(first.ledger);
  for (const crawl of [first, ...again]) assertAddsUp(crawl);
  expect(impolitenessIn(web, served.visits, CONCURRENCY)).toEqual([]);
  const organization = await stack.storage.organizations.find(orgId);
  const { credits, slots } = await stack.storage.usage.read(organization ?? expect.fail(), new Date());
  expect(credits.used).toBe([first, ...again].reduce((sum, { view }) => sum + view.credits_used, 0));
  expect(slots.inUse).toEqual({});
});
