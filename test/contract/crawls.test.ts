import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import type { Crawl } from '../../shared/contract/crawls/crawl.ts';
import { changed } from '../../shared/domain/crawls/crawl-state.ts';
import { addMs } from '../../shared/time/units.ts';
import { storedCrawl } from '../support/life/crawl-waves.ts';
import { describePorts } from '../support/world/ports.ts';

const NOON = new Date('2026-11-21T12:00:00Z');
const LATER = addMs(NOON, 10 * 60_000);

const crawlOf = (orgId: string, more: Partial<Crawl> = {}): Crawl => ({
  ...storedCrawl(orgId, {}, NOON),
  ...more,
});

describePorts('Crawls', (ports) => {
  test('a crawl is created once, and is found as stored', async () => {
    const { crawls } = ports();
    const crawl = crawlOf(v7(), {
      outcomes: { page: 3, trap: 1 },
      wave: { batchId: v7(), firstLine: 1, lines: 9 },
      refund: { turn: 1, period: '2026-11', charged: -2, counts: { plain_page: -2 } },
      leasedUntil: LATER,
      tags: ['nightly'],
    });
    expect([await crawls.create(crawl), await crawls.create({ ...crawl, queued: 5 })]).toEqual([true, false]);
    expect(await crawls.find(crawl.id)).toEqual(crawl);
    expect(await crawls.find(v7())).toBeUndefined();
  });

  test('a crawl keeps the schema of its pages unchanged', async () => {
    const { crawls } = ports();
    const crawl = crawlOf(v7());
    const request = { extract_schema: { type: 'object', properties: { '': { maximum: 1e300 } } }, wait: 1 };
    await crawls.create({ ...crawl, request: { ...crawl.request, request } });
    expect((await crawls.find(crawl.id))?.request.request).toEqual(request);
  });

  test('of two changes of one revision, only the first is made', async () => {
    const { crawls } = ports();
    const crawl = crawlOf(v7());
    await crawls.create(crawl);
    const [one, other] = [changed(crawl, { queued: 1 }, NOON), changed(crawl, { queued: 2 }, NOON)];
    expect([await crawls.replace(crawl, one), await crawls.replace(crawl, other)]).toEqual([true, false]);
    expect(await crawls.find(crawl.id)).toEqual(one);
    expect(await crawls.replace(one, changed(one, { queued: 3, wave: undefined }, NOON))).toBe(true);
    expect((await crawls.find(crawl.id))?.queued).toBe(3);
  });

  test('the crawls of an organization are listed in pages, the newest first', async () => {
    const { crawls } = ports();
    const [orgId, otherId] = [v7(), v7()];
    const own = [crawlOf(orgId), crawlOf(orgId), crawlOf(orgId)];
    for (const each of [...own, crawlOf(otherId)]) await crawls.create(each);
    const [first, second, third] = own.map(({ id }) => id);
    const page = await crawls.list(orgId, { limit: 2 });
    expect(page.crawls.map(({ id }) => id)).toEqual([third, second]);
    const { crawls: rest } = await crawls.list(orgId, { before: page.next, limit: 2 });
    expect(rest.map(({ id }) => id)).toEqual([first]);
  });

  test('a crawl is due until its end is reported', async () => {
    const { crawls } = ports();
    const orgId = v7();
    const [soon, late, done] = [
      crawlOf(orgId, { dueAt: NOON }),
      crawlOf(orgId, { dueAt: addMs(LATER, 1) }),
      crawlOf(orgId, { dueAt: NOON }),
    ];
    for (const each of [soon, late, done]) await crawls.create(each);
    await crawls.replace(done, changed(done, { dueAt: undefined }, NOON));
    const due = (await crawls.due(LATER, 1_000)).filter((crawl) => crawl.orgId === orgId);
    expect(due.map(({ id }) => id)).toEqual([soon.id]);
  });
});

describePorts('TargetHosts', (ports) => {
  test('of two changes of one version, only the first is made', async () => {
    const { targetHosts } = ports();
    const host = `${v7()}.example:8080`;
    expect(await targetHosts.find(host)).toBeUndefined();
    const own = { places: { 'chunk~1': 1_000 }, pauses: 2, pausedUntil: 5_000 };
    const first = { host, version: 1, crawls: { [v7()]: own } };
    expect(await targetHosts.replace(undefined, first, LATER)).toBe(true);
    expect(await targetHosts.replace(undefined, first, LATER)).toBe(false);
    expect(await targetHosts.find(host)).toEqual(first);
    const second = { ...first, version: 2, crawls: {} };
    expect(await targetHosts.replace(first, second, LATER)).toBe(true);
    expect(await targetHosts.replace(first, { ...second, version: 2 }, LATER)).toBe(false);
    expect(await targetHosts.find(host)).toEqual(second);
  });
});

describePorts('Batches', (ports) => {
  test('a wave of a crawl is open for workers, and in no list', async () => {
    const { batches } = ports();
    const [orgId, crawlId] = [v7(), v7()];
    const upload = { key: 'results/a/wave-1-1.ndjson', version: 'v1', defaults: {}, chunks: 1 };
    const times = { createdAt: NOON, deadlineAt: LATER, dueAt: LATER, expiresAt: LATER };
    const own = { id: v7(), crawlId, orgId, keyId: 'key', requestId: 'request', total: 1, upload };
    await batches.create({ ...own, ...times, state: 'accepted' });
    expect((await batches.list(orgId, { limit: 10 })).batches).toEqual([]);
    expect((await batches.open(orgId, 10)).map(({ id }) => id)).toEqual([own.id]);
    expect((await batches.find(own.id))?.crawlId).toBe(crawlId);
  });
});
