import { expect, test } from 'vitest';
import type { LedgerLine } from '../../shared/contract/crawls/crawl.ts';
import type { CrawlHost } from '../../shared/contract/crawls/manifest.ts';
import { serviceOver } from '../support/world/api.ts';
import { keepLedger } from '../support/world/kept-crawl.ts';
import { keyIn, newDashboard } from '../support/world/visitor.ts';

const CRAWLS = '/api/v1/crawls';
const SITE = 'https://shop.example';

async function member(email = 'ada@example.com', dashboard = newDashboard()) {
  const { world } = dashboard;
  const service = serviceOver(world);
  const visitor = dashboard.newVisitor();
  const key = keyIn((await visitor.join(email)).html) ?? '';
  const submit = async (fields = {}) => {
    world.pass(1_000);
    const { json } = await service.post(CRAWLS, key, { url: `${SITE}/`, ...fields });
    return String(json['crawl_id']);
  };
  const show = (id: string, query = '') => visitor.get(`/crawls/${encodeURIComponent(id)}${query}`);
  return { ...dashboard, visitor, submit, show };
}

const line = (path: string, rest: Partial<LedgerLine> = {}): LedgerLine => ({
  url: SITE + path,
  outcome: 'page',
  depth: 1,
  via: 'link',
  found_on: `${SITE}/`,
  ...rest,
});

const LINES: LedgerLine[] = [
  line('/', { depth: 0, via: 'seed' }),
  line('/bread/rye', { via: 'sitemap', found_on: `${SITE}/sitemap.xml`, target_status: 200 }),
  line('/bread/white'),
  line('/bread/spelt', { outcome: 'failed', error_code: 'timeout' }),
  line('/bread/rye?color=dark', { outcome: 'duplicate', same_as: `${SITE}/bread/rye`, via: 'canonical' }),
  line('/cart', { outcome: 'robots' }),
  { ...line('/'), url: 'https://other.example/<b>', outcome: 'out_of_scope' },
];

const HOSTS: CrawlHost[] = [
  {
    ...{
      host: 'shop.example',
      robots: 'found',
      robots_status: 200,
      crawl_delay: 45,
      crawl_delay_capped: true,
    },
    sitemaps: [
      { url: `${SITE}/sitemap.xml`, status: 200, urls: 31 },
      { url: `${SITE}/old.xml`, status: 404, error: 'status' },
    ],
    paused_until: '2026-11-21T12:30:00.000Z',
    content_usage: 'ai-train=no',
  },
];

test('a crawl shows what became of its URLs as a bar, as numbers, and where they lead', async () => {
  const { world, submit, show } = await member();
  const id = await submit({ tags: ['nightly'] });
  expect((await show(id)).text).toContain('Running: no URL has been found yet.');
  await keepLedger(world, id, { lines: LINES, hosts: HOSTS, queued: 3 }, { credits: 3 });
  const { text, html } = await show(id);
  expect(text).toMatch(/https:\/\/shop\.example\/ Running: 70% of 10 URLs\./);
  expect(text).toContain(
    'Pages: 3; Same as others, or unchanged: 1; Left out: 2; Failed: 1; In progress and waiting: 3.',
  );
  expect(text).toMatch(/Page 3 30% Failed 1 10% Duplicate 1 10% Disallowed by robots\.txt 1 10%/);
  expect(text).toMatch(/Waiting 3 30% Discovered 10 100%/);
  expect(text).toMatch(/Credits 3 credits Tags nightly/);
  const widths = [...html.matchAll(/<rect\s+class="part-[a-z-]+"\s+x="[\d.]+"\s+width="(\d+)"/g)];
  expect(widths.map(([, width]) => Number(width))).toEqual([300, 100, 200, 100, 300]);
  expect(html).toContain(`/crawls/${id}?outcome=robots#urls"`);
});

test('a crawl shows the robots.txt, sitemaps and pauses of its hosts, and its folders', async () => {
  const { world, submit, show } = await member();
  const id = await submit();
  await keepLedger(world, id, { lines: LINES, hosts: HOSTS });
  const { text } = await show(id);
  expect(text).toMatch(/shop\.example robots\.txt Found \(200\) Crawl-delay 45 seconds, kept to 30 seconds/);
  expect(text).toMatch(/Content usage ai-train=no Paused until 2026-11-21 12:30 UTC/);
  expect(text).toMatch(/Sitemap https:\/\/shop\.example\/sitemap\.xml 31 URLs/);
  expect(text).toMatch(/Sitemap https:\/\/shop\.example\/old\.xml 404, status/);
  expect(text).toMatch(/other\.example\/ 0 1 1 shop\.example\/ 1 1 2 shop\.example\/bread\/ 2 2 4/);
});

test('the URLs of a crawl are shown with their outcome and its reason, and filtered by it', async () => {
  const { world, submit, show } = await member();
  const id = await submit();
  await keepLedger(world, id, { lines: LINES });
  const { text, html } = await show(id);
  expect(text).toMatch(/Failed shop\.example\/bread\/spelt timeout · Linked from shop\.example\/ · Depth 1/);
  expect(text).toMatch(
    /Duplicate shop\.example\/bread\/rye\?color=dark Same as shop\.example\/bread\/rye · Canonical of/,
  );
  expect(text).toMatch(
    /Page shop\.example\/bread\/rye Status 200 · In the sitemap shop\.example\/sitemap\.xml/,
  );
  expect(html).toContain('other.example/&lt;b&gt;');
  const filtered = (await show(id, '?outcome=failed')).html;
  expect([...filtered.matchAll(/class="address"/g)]).toHaveLength(1);
  expect(filtered).toMatch(/<option value="failed" selected/);
  expect((await show(id, '?outcome=trap')).text).toContain('No URL has this outcome yet.');
  for (const query of ['?outcome=none', '?cursor=x', '?cursor=-1'])
    expect((await show(id, query)).status).toBe(404);
});

test('the URLs of a crawl come fifty a page, each once, with and without a filter', async () => {
  const { world, submit, show } = await member();
  const id = await submit();
  const lines = Array.from({ length: 130 }, (_, n) =>
    line(`/p/${n}`, { outcome: n % 2 === 0 ? 'page' : 'excluded' }),
  );
  await keepLedger(world, id, { lines });
  const read = async (query: string) => {
    const urls: string[] = [];
    const pages: number[] = [];
    for (let next: string | undefined = query; next !== undefined;) {
      const { html } = await show(id, next);
      const found = [...html.matchAll(/class="address">shop\.example\/p\/(\d+)</g)].map(([, n = '']) => n);
      urls.push(...found);
      pages.push(found.length);
      next = /rel="next" href="[^"]*(\?[^"#]+)#urls"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
    }
    return { urls, pages };
  };
  expect((await read('')).urls).toEqual(lines.map((_, n) => String(n)));
  expect((await read('')).pages).toEqual([50, 50, 30]);
  expect((await read('?outcome=excluded')).pages).toEqual([50, 15]);
});

test('a crawl is cancelled by a form, and says so', async () => {
  const { submit, show, visitor } = await member();
  const id = await submit();
  expect((await show(id)).html).toContain('action="/prod/cancel-crawl"');
  expect((await visitor.get(`/cancel-crawl?id=${id}`)).text).toContain('Cancel this crawl?');
  const stopped = await visitor.submit('/cancel-crawl', { id });
  expect([stopped.status, stopped.location]).toEqual([303, `/crawls/${id}?notice=crawlStopped`]);
  const { text, html } = await visitor.get(stopped.location ?? '');
  expect(text).toMatch(/The crawl is cancelled\..*Cancelled/);
  expect(html).not.toContain('/cancel-crawl');
});

test('a crawl that has ended says why, cannot be cancelled, and how it is retried', async () => {
  const { world, submit, show, visitor } = await member();
  const id = await submit();
  const ended = { status: 'completed', stopReason: 'limit', completedAt: world.now() } as const;
  await keepLedger(world, id, { lines: LINES }, ended);
  const { text, html } = await show(id);
  expect(text).toContain('Completed, because the limit of pages was reached: 100% of 7 URLs.');
  expect(text).toContain(`curl "https://api.example.com/api/v1/crawls/${id}/retry_failed" --request POST`);
  expect(html).not.toContain('/cancel-crawl');
  expect((await visitor.submit('/cancel-crawl', { id })).location).toBe(`/crawls/${id}`);
});

test('a crawl of another organization and none at all look the same', async () => {
  const dashboard = newDashboard();
  const ada = await member('ada@example.com', dashboard);
  const grace = await member('grace@example.com', dashboard);
  const foreign = await ada.submit();
  for (const id of [foreign, '019a0000-0000-7000-8000-000000000000', 'x', '<script>']) {
    const { status, text, html } = await grace.show(id);
    expect([status, text.includes('There is no such crawl.'), html.includes('<script>')]).toEqual([
      404,
      true,
      false,
    ]);
    expect((await grace.visitor.submit('/cancel-crawl', { id })).status).toBe(404);
  }
  expect((await ada.show(foreign)).text).toContain('Running');
});

test('crawls are listed newest first, 25 a page', async () => {
  const { visitor, submit } = await member();
  expect((await visitor.get('/crawls')).text).toContain('There are no crawls yet.');
  const ids: string[] = [];
  for (let n = 0; n < 26; n++) ids.unshift(await submit({ tags: [`n${n}`] }));
  const first = await visitor.get('/crawls');
  expect(first.text).toMatch(/Running shop\.example\/ 0 0 0 0 n25 /);
  const idsIn = (html: string) => [...html.matchAll(/crawls\/([0-9a-f-]+)"/g)].map(([, id]) => id);
  expect(idsIn(first.html)).toEqual(ids.slice(0, 25));
  const [, older = ''] = /rel="next" href="[^"]*(\/crawls\?[^"]+)"/.exec(first.html) ?? [];
  expect(idsIn((await visitor.get(older.replaceAll('&amp;', '&'))).html)).toEqual(ids.slice(25));
});
