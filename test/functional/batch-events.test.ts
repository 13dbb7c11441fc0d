import { expect, test } from 'vitest';
import { API_URL } from '../support/world/in-memory-world.ts';
import { AppError } from '../../shared/errors.ts';
import { page } from '../support/world/pages.ts';
import { eventIn, HOOK, verified, webhookLife } from '../support/life/webhook-life.ts';

const BATCHES = '/api/v1/scraper/batches';
const OTHER = 'https://other.example/in';
const requests = ['a', 'b', 'c'].map((name) => ({ url: `https://example.com/${name}` }));

async function batchLife() {
  const life = await webhookLife();
  const { world, service, key } = life;
  world.answers[OTHER] = 204;
  for (const { url } of requests) world.web[url] = page('hello');
  world.web['https://example.com/c'] = new AppError('tls_failed');
  const submit = async (more: object = {}) => service.post(BATCHES, key, { requests, ...more });
  const run = async (more: object = {}) => {
    const { json } = await submit(more);
    await service.work();
    await service.notify();
    return String(json['batch_id']);
  };
  const received = (url: string) => world.received.filter((each) => each.url === url);
  const eventsAt = (url: string) =>
    received(url)
      .map(eventIn)
      .filter(({ type }) => type.startsWith('batch'));
  return { ...life, submit, run, received, eventsAt };
}

test('a batch sends one signed event to its webhook once its last job has ended', async () => {
  const { run, create, received, eventsAt } = await batchLife();
  const { secret } = await create({ url: OTHER, events: ['batch.completed'] });
  const id = await run({ webhook: HOOK, tags: ['nightly'] });
  const data = {
    batch_id: id,
    status: 'completed',
    counts: { total: 3, invalid: 0, pending: 0, running: 0, completed: 2, failed: 1 },
    credits_used: 2,
    tags: ['nightly'],
    results_url: `${API_URL}/api/v1/scraper/batches/${id}/results`,
  };
  for (const url of [HOOK, OTHER]) expect(eventsAt(url)).toMatchObject([{ type: 'batch.completed', data }]);
  const [first] = received(OTHER);
  expect(first && verified(first, secret).type).toBe('batch.completed');
});

test('a batch without a webhook sends its event to the endpoints that chose it, and to no others', async () => {
  const { run, create, eventsAt } = await batchLife();
  await create({ events: ['job.failed'] });
  await create({ url: OTHER });
  await run();
  expect([eventsAt(HOOK), eventsAt(OTHER)]).toMatchObject([[], [{ type: 'batch.completed' }]]);
});

test('a cancelled batch says so when its last job has ended', async () => {
  const { service, key, submit, eventsAt } = await batchLife();
  const { json } = await submit({ webhook: HOOK });
  await service.ask(`${BATCHES}/${String(json['batch_id'])}/cancel`, { method: 'POST', key });
  await service.notify();
  expect(eventsAt(HOOK)).toMatchObject([{ data: { status: 'cancelled', counts: { failed: 3 } } }]);
});

test('a webhook of a batch is refused as one of a job is', async () => {
  const { submit } = await batchLife();
  for (const webhook of [
    'http://127.0.0.1/',
    'ftp://a.example/',
    '019a0000-0000-7000-8000-000000000000',
    '',
    7,
  ]) {
    const { status, json } = await submit({ webhook });
    expect([webhook, status, json['param']]).toEqual([webhook, 400, 'webhook']);
  }
});
