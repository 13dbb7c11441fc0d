import { expect, test } from 'vitest';
import { pdfOf } from '../fixtures/documents/pdf.ts';
import { clientOf } from '../support/stack/client.ts';
import { sharedStack } from '../support/stack/shared-stack.ts';
import { newOrganization } from '../support/world/organization.ts';

const stack = await sharedStack();
const { api_key: key } = await newOrganization(stack.storage, { plan: 'business' });
const client = clientOf(stack.baseUrl, key);
const site = stack.demoSite;

type Document = {
  markdown?: string;
  screenshot?: string;
  warning?: string;
  metadata: { creditsUsed: number; scrapeId: string };
};
type Answer = { success: boolean; id: string; status: string; next: string | null; data: Document[] };

async function sent<T>(path: string, body: object): Promise<T> {
  const answer = await client.post(path, body);
  expect(answer.status).toBe(200);
  return (await answer.json()) as T;
}

/** A crawl or batch once it has ended. */
const ended = (path: string) =>
  expect.poll(async () => (await client.get(path)).json() as Promise<Answer>, {
    timeout: 60_000,
    interval: 500,
  });

test('a scrape of /v2 is a document, whose screenshot is a picture to anyone', async () => {
  const formats = ['markdown', 'screenshot'];
  const { data } = await sent<{ data: Document }>('/v2/scrape', { url: `${site}/js`, formats });
  expect(data.markdown).toContain('This text was fetched by JavaScript.');
  const picture = await fetch(data.screenshot ?? '');
  expect([picture.status, picture.headers.get('Content-Type')]).toEqual([200, 'image/png']);
  expect(Buffer.from(await picture.arrayBuffer()).toString('latin1', 1, 4)).toBe('PNG');
});

test('a file of /v2 is read from its bytes', async () => {
  const form = new FormData();
  const pdf = pdfOf([{ texts: [{ text: 'Annual report', x: 50, y: 700 }] }], { isCompressed: true });
  form.append('file', new Blob([new Uint8Array(pdf)], { type: 'application/pdf' }), 'report.pdf');
  const headers = { Authorization: `Bearer ${key}` };
  const answer = await fetch(`${stack.baseUrl}/v2/parse`, { method: 'POST', headers, body: form });
  expect(await answer.json()).toMatchObject({
    success: true,
    data: { markdown: 'Annual report\n', metadata: { sourceURL: 'report.pdf', numPages: 1 } },
  });
});

test('a map of /v2 has links', async () => {
  const { links } = await sent<{ links: { url: string }[] }>('/v2/map', { url: site, limit: 5 });
  expect(links.map(({ url }) => url)).toContain(`${site}/js`);
});

test('a crawl of /v2 has as many documents as its limit', async () => {
  const { id } = await sent<Answer>('/v2/crawl', { url: `${site}/magazine/`, limit: 2 });
  await ended(`/v2/crawl/${id}`).toMatchObject({
    ...{ success: true, status: 'completed', completed: 2, next: null },
    data: [{ markdown: expect.any(String) as string }, { markdown: expect.any(String) as string }],
  });
});

test('a batch of /v2 has a document for each URL, with its screenshot', async () => {
  const urls = [site, `${site}/js`, 'no url'];
  const started = await sent<Answer & { invalidURLs: string[] }>('/v2/batch/scrape', {
    ...{ urls, formats: ['screenshot'] },
  });
  expect(started.invalidURLs).toHaveLength(1);
  const screenshot = expect.stringMatching(/^https?:/) as string;
  await ended(`/v2/batch/scrape/${started.id}`).toMatchObject({
    ...{ status: 'completed', data: [{ screenshot }, { screenshot }] },
  });
  const status = (await (await client.get(`/v2/batch/scrape/${started.id}`)).json()) as Answer;
  const id = status.data[0]?.metadata.scrapeId;
  expect(await (await client.get(`/v2/scrape/${id}`)).json()).toMatchObject({
    ...{ success: true, data: { screenshot, metadata: { scrapeId: id } } },
  });
});

test('an unknown path of /v2 is not supported', async () => {
  const answer = await client.post('/v2/search', { query: 'x' });
  expect([answer.status, await answer.json()]).toEqual([
    404,
    { success: false, error: expect.any(String) as string, code: 'NOT_SUPPORTED' },
  ]);
});
