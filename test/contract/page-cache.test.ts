import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import type { CachedPage } from '../../shared/contract/scrape/cached-page.ts';
import { ScrapeRequest } from '../../shared/contract/scrape/scrape-request.ts';
import { scrapeLine } from '../../shared/domain/accounts/activity/lines.ts';
import { shortId } from '../../shared/domain/accounts/credits/short-id.ts';
import { addMs, DAY_MS, HOUR_MS, SECOND_MS } from '../../shared/time/units.ts';
import { NOON } from '../support/world/jobs.ts';
import { describePorts } from '../support/world/ports.ts';

const newKey = (urlHash = v7()) => ({ orgId: `org_${v7()}`, urlHash, fieldsHash: v7() });

const kept: CachedPage = {
  resultKey: 'results/org/cache/1',
  sha256: 'f',
  bytes: 3,
  gzip: { sha256: 'e', bytes: 2 },
  head: { status: 200, url: 'https://example.com/', redirects: 0, verdict: { kind: 'page' } },
  etag: '"a"',
  lastModified: undefined,
  fetchedAt: NOON,
  expiresAt: addMs(NOON, 30 * DAY_MS),
};

describePorts('pageCache', (ports) => {
  test('a page is kept for its organization until it expires, and replaced by a newer one', async () => {
    const { pageCache } = ports();
    const key = newKey();
    await pageCache.keep(key, { ...kept, etag: '"old"' });
    await pageCache.keep(key, kept);
    expect(await pageCache.find(key, addMs(kept.expiresAt, -SECOND_MS))).toEqual(kept);
    expect(await pageCache.find(key, kept.expiresAt)).toBeUndefined();
    expect(await pageCache.find({ ...key, orgId: `org_${v7()}` }, NOON)).toBeUndefined();
    expect(await pageCache.find({ ...key, fieldsHash: v7() }, NOON)).toBeUndefined();
  });

  test('a page is noted to be current, but not once it is forgotten or replaced', async () => {
    const { pageCache } = ports();
    const key = newKey();
    const renewed = { ...kept, fetchedAt: addMs(NOON, HOUR_MS), lastModified: 'now' };
    await pageCache.renew(key, renewed);
    expect(await pageCache.find(key, NOON)).toBeUndefined();
    await pageCache.keep(key, kept);
    await pageCache.renew(key, renewed);
    expect(await pageCache.find(key, NOON)).toEqual(renewed);
    await pageCache.keep(key, { ...kept, resultKey: 'results/org/cache/2' });
    await pageCache.renew(key, renewed);
    expect(await pageCache.find(key, NOON)).toMatchObject({ fetchedAt: NOON });
  });

  test('all pages of a URL are forgotten together, and no others', async () => {
    const { pageCache } = ports();
    const key = newKey();
    const variants = [key, { ...key, fieldsHash: v7() }];
    const others = [newKey(key.urlHash), { ...key, urlHash: v7() }];
    for (const each of [...variants, ...others]) await pageCache.keep(each, kept);
    expect(await pageCache.forget(key)).toEqual([kept.resultKey, kept.resultKey]);
    for (const each of variants) expect(await pageCache.find(each, NOON)).toBeUndefined();
    for (const each of others) expect(await pageCache.find(each, NOON)).toEqual(kept);
    expect(await pageCache.forget(key)).toEqual([]);
  });

  test('a result of a comparison is kept with the one before it, and both are forgotten', async () => {
    const { pageCache } = ports();
    const key = newKey();
    const { sha256, bytes, gzip, fetchedAt } = kept;
    const before = { resultKey: 'results/org/cache/0', sha256, bytes, gzip, fetchedAt };
    const result = { ...kept, workId: v7(), before };
    await pageCache.keep(key, result);
    expect(await pageCache.find(key, NOON)).toEqual(result);
    expect(await pageCache.forget(key)).toEqual([kept.resultKey, before.resultKey]);
  });

  test('activity has the repeats, and no kept pages', async () => {
    const { activity, pageCache } = ports();
    const key = newKey();
    await pageCache.keep(key, kept);
    const request = ScrapeRequest.parse({ url: 'https://example.com/', max_age: 60 });
    const asked = { requestId: v7({ msecs: NOON.getTime() }), orgId: key.orgId, keyId: 'key', request };
    const ended = { kind: 'plain', reason: 'cached', charged: 0 } as const;
    const line = scrapeLine(asked, { ended, targetStatus: 200, cache: 'hit' }, NOON);
    await activity.record(line);
    const found = await activity.lines(key.orgId, { from: '2000', to: '3000', limit: 10 });
    expect(found.map(({ line: { reason, cache, credits } }) => [reason, cache, credits])).toEqual([
      ['cached', 'hit', 0],
    ]);
    expect(await activity.endOf(key.orgId, shortId(asked.requestId))).toEqual(ended);
  });
});
