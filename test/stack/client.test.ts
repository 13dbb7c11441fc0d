import { expect, test } from 'vitest';
import { Sitefetch, SitefetchError } from '../../clients/typescript/src/sitefetch.ts';
import { FAULTS_OF_CALLERS, faultProxy } from '../support/servers/fault-proxy.ts';
import { sharedStack } from '../support/stack/shared-stack.ts';
import { extent } from '../support/world/extent.ts';
import { newOrganization } from '../support/world/organization.ts';

const stack = await sharedStack();
const { demoSite, baseUrl } = stack;
const { api_key: apiKey } = await newOrganization(stack.storage, { plan: 'business' });
const client = new Sitefetch({ baseUrl, apiKey });

async function collected<T>(lines: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

const bytesAt = async (url: string) => new Uint8Array(await (await fetch(url)).arrayBuffer());

test('the client scrapes a page, byte by byte, and says what it cost', async () => {
  const page = await client.scrape({ url: demoSite });
  expect(page.bytes()).toEqual(await bytesAt(demoSite));
  expect(page).toMatchObject({ verdict: 'page', targetStatus: 200, credits: { used: 1, reason: 'page' } });
  expect(page.requestId).toMatch(/^[0-9a-f-]{36}$/);
});

test('the client runs a job, reads its text in parts, and finds it in the list', async () => {
  const page = await client.jobs.run({ url: demoSite, format: 'markdown', tags: ['parts'] });
  const id = page.jobId ?? expect.fail('There is no job.');
  expect(page.credits).toMatchObject({ used: 1, reason: 'page' });
  let [text, offset]: [string, number | undefined] = ['', 0];
  while (offset !== undefined) {
    const part = await client.jobs.result(id, { maxChars: 1_000, offset });
    text += part.text();
    offset = part.nextOffset;
  }
  expect(text).toBe(page.text());
  await expect
    .poll(async () => (await collected(client.jobs.list({ tag: 'parts' }))).map(({ job_id }) => job_id))
    .toEqual([id]);
});

test('the client rejects a job of a host that does not exist with the error of the job', async () => {
  const error: unknown = await client.jobs
    .run({ url: 'http://nowhere.invalid/' })
    .catch((fault: unknown) => fault);
  expect(error).toBeInstanceOf(SitefetchError);
  expect(error).toMatchObject({ code: 'url_not_allowed' });
});

test('the client uploads requests, and its results have every line once, failed ones too', async () => {
  const lines = [{ url: demoSite, custom_id: 'front' }, { url: `${demoSite}/js` }, { url: 'nonsense' }];
  const batch = await client.batches.upload(lines, { tags: ['upload'] });
  const results = await collected(client.batches.results(batch.batch_id, { include: 'body' }));
  expect(results.map(({ line, status }) => [line, status]).sort()).toEqual([
    [1, 'completed'],
    [2, 'completed'],
    [3, 'failed'],
  ]);
  const front = results.find(({ custom_id }) => custom_id === 'front');
  expect(front?.body).toBe(new TextDecoder().decode(await bytesAt(demoSite)));
  expect((await client.batches.wait(batch.batch_id)).counts).toMatchObject({ invalid: 1, completed: 2 });
});

test('the client maps and crawls a site, and knows what became of each URL', async () => {
  const { urls } = await client.map({ url: `${demoSite}/magazine`, limit: 20 });
  expect(urls.length).toBeGreaterThan(5);
  const { crawl_id: id } = await client.crawls.submit({ url: `${demoSite}/magazine`, limit: 5 });
  const [results, ledger] = await Promise.all([
    collected(client.crawls.results(id, { include: 'body' })),
    collected(client.crawls.urls(id)),
  ]);
  const crawl = await client.crawls.wait(id);
  expect(results).toHaveLength(crawl.counts.page);
  expect(ledger).toHaveLength(crawl.counts.discovered);
});

test('the client reads limits, usage and activity, and manages endpoints', async () => {
  expect(await client.account.get()).toMatchObject({ plan: 'business' });
  expect((await client.account.usage()).data).toBeInstanceOf(Array);
  for await (const line of client.account.activity({ host: 'nowhere.test' })) expect.fail(line.url);
  const { webhook_id: id, secret } = await client.webhooks.create({
    url: 'https://example.com/hooks',
    events: [],
  });
  expect(secret).toMatch(/^whsec_/);
  expect((await collected(client.webhooks.list())).map(({ webhook_id }) => webhook_id)).toContain(id);
  await client.webhooks.delete(id);
  await expect(client.webhooks.get(id)).rejects.toMatchObject({ code: 'not_found', status: 404 });
});

// More at once would keep the few environments of the stack busy for other tests.
const [JOBS, ROUNDS] = extent([2, 8], [12, 180]);
const PAGES = ['/', '/js', '/big?mb=0.2'];
/** Small and large pages of the demo site, each at a URL of its own. */
const pageOf = (number: number) => {
  const page = PAGES[number % PAGES.length] ?? '/';
  return `${demoSite}${page}${page.includes('?') ? '&' : '?'}n=${number}`;
};

test(
  'over a network with faults no job is lost or submitted twice, and every page is whole',
  { tags: ['soak'] },
  async () => {
    const organization = await newOrganization(stack.storage, { plan: 'business' });
    await using network = await faultProxy(baseUrl, { seed: 7, rate: 0.3, faults: FAULTS_OF_CALLERS });
    const calls = { ...organization, count: 0 };
    const counted = (url: string, init: RequestInit) => {
      calls.count += 1;
      return fetch(url, init);
    };
    const own = new Sitefetch({
      baseUrl: network.url,
      apiKey: organization.api_key,
      retries: 12,
      fetch: counted,
    });
    const submitted = new Set<string>();
    const untyped: unknown[] = [];

    async function round(number: number): Promise<void> {
      const url = pageOf(number);
      const sent = Buffer.from(await bytesAt(url));
      const page = await own.jobs.run({ url, tags: ['faults'] });
      submitted.add(page.jobId ?? '');
      expect(sent.equals(page.bytes())).toBe(true);
      const again = await own.jobs.result(page.jobId ?? '');
      expect(sent.equals(again.bytes())).toBe(true);
      await own.scrape({ url }).catch((error: unknown) => {
        if (!(error instanceof SitefetchError)) untyped.push(error);
      });
      await own.account.get();
    }

    for (let turn = 0; turn < ROUNDS; turn += 1)
      await Promise.all(Array.from({ length: JOBS }, (_, n) => round(turn * JOBS + n)));

    expect(untyped).toEqual([]);
    expect(submitted.size).toBe(JOBS * ROUNDS);
    const listed = async () =>
      (await collected(own.jobs.list({ tag: 'faults', limit: 100 }))).map(({ job_id }) => job_id);
    await expect.poll(async () => (await listed()).sort()).toEqual([...submitted].sort());
    expect(calls.count).toBeGreaterThan(extent(60, 10_000));
    const faults = FAULTS_OF_CALLERS.map((fault) => network.counts.get(fault) ?? 0);
    expect(faults.reduce((sum, each) => sum + each)).toBeGreaterThan(extent(8, 2_000));
  },
);
