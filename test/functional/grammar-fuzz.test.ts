import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { AppError } from '../../shared/errors.ts';
import { newService } from '../support/world/api.ts';
import { extent } from '../support/world/extent.ts';
import { grammarFuzz } from '../support/life/grammar-fuzz.ts';
import { page } from '../support/world/pages.ts';

const SCRAPER = '/api/v1/scraper';
const CALLS = extent(400, 20_000);
const PLENTY = 10_000_000;

test(`${CALLS} random calls of all routes are answered as documented, and no refusal is charged`, async () => {
  const overrides = { rpm: PLENTY, readsPerMinute: PLENTY, concurrency: 1_000, credits: PLENTY };
  const { world, service, key } = await newService(undefined, { overrides });
  const urls = ['page', 'error', 'gone'].map((name) => `https://${name}.example/`);
  const [url = '', error = '', gone = ''] = urls;
  Object.assign(world.web, {
    [url]: page('<h1>x</h1>'),
    [error]: page('x', { status: 503 }),
    [gone]: new AppError('connect_failed'),
  });
  const submit = async (path: string, body: object, name: string) =>
    String((await service.post(`${SCRAPER}/${path}`, key, body)).json[name]);
  const jobs = [await submit('jobs', { url }, 'job_id'), await submit('jobs', { url: gone }, 'job_id')];
  const batches = [
    await submit('batches', { requests: [{ url }, { url: gone }] }, 'batch_id'),
    await submit('batches', { input: 'upload' }, 'batch_id'),
  ];
  await service.work();
  const pending = await submit('jobs', { url }, 'job_id');
  const hook = await service.post('/api/v1/webhooks', key, { url: 'https://hooks.example/' });
  const webhook = String(hook.json['webhook_id']);
  const ids = {
    job_id: [...jobs, pending],
    batch_id: batches,
    webhook_id: [webhook, 'default'],
    file: ['docs.css', 'index.html'],
    code: ['timeout', 'internal'],
  };
  const before = await used();
  const { wrong, credits } = await grammarFuzz({
    ...{ seed: 20_261_125, calls: CALLS, known: { key, urls, ids } },
    send: async ({ path, method, headers, body }) => {
      const reply = await service.ask(path, { method, headers, body });
      const isGzip = reply.headers['Content-Encoding'] === 'gzip';
      const text = isGzip ? gunzipSync(reply.bytes).toString() : reply.text;
      return { status: reply.status, headers: new Headers(reply.headers), text };
    },
  });
  expect(wrong).toEqual([]);
  expect((await used()) - before).toBe(credits);

  async function used(): Promise<number> {
    const { json } = await service.ask('/api/v1/account', { key });
    return (json['credits'] as { used: number }).used;
  }
});
