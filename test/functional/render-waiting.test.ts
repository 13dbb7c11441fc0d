import { beforeEach, expect, test } from 'vitest';
import {
  JOBS,
  key,
  newServiceEachTest,
  service,
  shown,
  submitJob,
  world,
} from '../support/world/each-test.ts';
import { page } from '../support/world/pages.ts';

const SCRAPE = '/api/v1/scraper';
const url = 'https://shop.example/';
const request = { url, render_js: true };

newServiceEachTest({ overrides: { credits: 100 } });
beforeEach(() => {
  world.web[url] = page('<p>Loading…</p>', { url, renderState: 'partial', renderWaiting: 'socket' });
});

test('a page that still waits says for what, at once and in JSON', async () => {
  const { headers } = await service.post(SCRAPE, key, request);
  expect(headers).toMatchObject({ 'X-Render-State': 'partial', 'X-Render-Waiting': 'socket' });
  const { json } = await service.post(SCRAPE, key, { ...request, format: 'json' });
  expect(json).toMatchObject({ render_state: 'partial', render_waiting: 'socket' });
});

test('a page that still waits says for what as a job', async () => {
  const id = await submitJob(request);
  await service.work([id]);
  expect(await shown(id)).toMatchObject({ render_state: 'partial', render_waiting: 'socket' });
  const { headers } = await service.ask(`${JOBS}/${id}/result`, { key });
  expect(headers['X-Render-Waiting']).toBe('socket');
});

test('a page that still waits says for what in a batch', async () => {
  const { json } = await service.post(`${SCRAPE}/batches`, key, { requests: [request] });
  await service.work();
  const { text } = await service.ask(`${SCRAPE}/batches/${String(json['batch_id'])}/results`, { key });
  expect(JSON.parse(text)).toMatchObject({ render_state: 'partial', render_waiting: 'socket' });
});
