import { expect, test } from 'vitest';
import { MapRequest } from '../../shared/contract/crawls/map.ts';
import { MAX_PAGE_BYTES } from '../../shared/contract/scrape/page.ts';
import { foundUrls } from '../../shared/use-cases/crawls/found-urls.ts';

test('a map ends before its URLs are larger than a page may be', async () => {
  const found = foundUrls(MapRequest.parse({ url: 'https://example.com/', limit: 100_000 }));
  found.read({ url: 'https://example.com/', type: 'page', status: 200 });
  const rules = { isInScope: () => true, isWanted: () => true };
  const path = 'a'.repeat(2_000);
  let bytes = 0;
  for (let n = 0; n < 30_000; n += 1) {
    const url = new URL(`https://example.com/${n}/${path}`);
    const added = await found.add({ url, source: 'page' }, rules, () => Promise.resolve(true));
    bytes += added?.url.length ?? 0;
  }
  expect(bytes).toBeGreaterThan(0.9 * MAX_PAGE_BYTES);
  expect(bytes).toBeLessThan(MAX_PAGE_BYTES);
  expect(found.summary()).toMatchObject({ complete: false, incomplete_because: 'size' });
});
