import { expect, test } from 'vitest';
import { serviceOver } from '../support/world/api.ts';
import { inMemoryWorld } from '../support/world/in-memory-world.ts';
import { page } from '../support/world/pages.ts';

const SCRAPE = '/api/v1/scraper';
const JOBS = `${SCRAPE}/jobs`;
const url = 'https://example.com/';
const SIGN = 'X-Content-Truncated';

const world = inMemoryWorld();
const { post, ask, work, organization } = serviceOver(world);
const { key } = await organization();
const cut = (body: string) => page(body, { contentTruncated: true });

test('a page that was cut off says so in every response about it', async () => {
  world.web[url] = cut('<p>half a page of words');
  const plain = await post(SCRAPE, key, { url });
  expect([plain.status, plain.headers[SIGN], plain.headers['X-Credits-Used']]).toEqual([200, 'true', '1']);
  expect(plain.headers['X-Page-Verdict']).toBe('page');
  const markdown = await post(SCRAPE, key, { url, format: 'markdown' });
  expect([markdown.text, markdown.headers[SIGN]]).toEqual(['half a page of words\n', 'true']);
  const json = await post(SCRAPE, key, { url, format: 'json' });
  expect([json.json['content_truncated'], json.headers[SIGN]]).toEqual([true, 'true']);

  const job = await post(JOBS, key, { url });
  const batch = await post(`${SCRAPE}/batches`, key, { requests: [{ url }] });
  await work();
  const id = String(job.json['job_id']);
  expect((await ask(`${JOBS}/${id}`, { key })).json).toMatchObject({
    content_truncated: true,
    verdict: 'page',
  });
  for (const method of ['GET', 'HEAD'])
    expect((await ask(`${JOBS}/${id}/result`, { key, method })).headers).toMatchObject({ [SIGN]: 'true' });
  const [line = ''] = (await ask(String(batch.json['results_url']), { key })).text.split('\n');
  expect(JSON.parse(line)).toMatchObject({ url, content_truncated: true });
});

test('so does its line in the results of an upload', async () => {
  world.web[url] = cut('<p>half a page of words');
  const { json } = await post(`${SCRAPE}/batches`, key, { input: 'upload' });
  world.uploads.send(String(json['upload_url']), JSON.stringify({ url }));
  const batch = `${SCRAPE}/batches/${String(json['batch_id'])}`;
  await ask(`${batch}/start`, { method: 'POST', key });
  await work();
  await work();
  const [line = ''] = (await ask(`${batch}/results`, { key })).text.split('\n');
  expect(JSON.parse(line)).toMatchObject({ url, content_truncated: true });
});

test('a whole page says nothing of it', async () => {
  world.web[url] = page('<p>a whole page of words</p>');
  expect((await post(SCRAPE, key, { url })).headers).not.toHaveProperty(SIGN);
  expect((await post(SCRAPE, key, { url, format: 'json' })).json).not.toHaveProperty('content_truncated');
  const job = await post(JOBS, key, { url });
  await work();
  const { json } = await ask(`${JOBS}/${String(job.json['job_id'])}`, { key });
  expect(json).not.toHaveProperty('content_truncated');
});

test('a page that was cut off before its first word is bad_upstream_response, for no credits', async () => {
  world.web[url] = cut('<html><head></head><body></body></html>');
  const { status, json, headers } = await post(SCRAPE, key, { url });
  expect([status, json['code'], headers['X-Credits-Used']]).toEqual([502, 'bad_upstream_response', '0']);
  world.web[url] = page('<html><head></head><body></body></html>');
  expect((await post(SCRAPE, key, { url })).headers['X-Page-Verdict']).toBe('empty');
});
