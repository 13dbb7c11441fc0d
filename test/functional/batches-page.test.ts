import { expect, test, vi } from 'vitest';
import { AppError } from '../../shared/errors.ts';
import { serviceOver } from '../support/world/api.ts';
import { page } from '../support/world/pages.ts';
import { keyIn, newDashboard } from '../support/world/visitor.ts';

const BATCHES = '/api/v1/scraper/batches';
const urlOf = (name: string) => `https://example.com/${name}`;

async function member(email = 'ada@example.com', dashboard = newDashboard()) {
  const { world } = dashboard;
  const service = serviceOver(world);
  const visitor = dashboard.newVisitor();
  const key = keyIn((await visitor.join(email)).html) ?? '';
  const submit = async (names: string[], fields = {}) => {
    world.pass(1_000);
    for (const name of names) world.web[urlOf(name)] ??= page(name);
    const requests = names.map((name) => ({ url: urlOf(name), custom_id: name }));
    return String((await service.post(BATCHES, key, { requests, ...fields })).json['batch_id']);
  };
  const show = (id: string) => visitor.get(`/batches?id=${encodeURIComponent(id)}`);
  return { ...dashboard, service, visitor, submit, show, key };
}

test('a batch shows its progress, when it will end, and why requests failed', async () => {
  const { world, service, submit, show } = await member();
  for (const name of ['x', 'y']) world.web[urlOf(name)] = new AppError('tls_failed');
  const gate = Promise.withResolvers<undefined>();
  // Each runs in a slot of its own.
  const late = ['d', 'e', 'f', 'g', 'h'];
  for (const name of late) world.web[urlOf(name)] = () => gate.promise.then(() => page(name));
  const id = await submit(['a', 'b', 'c', 'x', 'y', ...late], { tags: ['nightly'] });
  expect((await show(id)).text).toMatch(/Running: 0% of 10 requests\..*Pending 10.*Tags nightly/);
  world.pass(60_000);
  const working = service.work();
  const half = await vi.waitUntil(async () => {
    const shown = await show(` ${id.toUpperCase()} `);
    return shown.text.includes('Running: 50%') && shown;
  });
  expect(half.text).toMatch(
    /Running: 50% of 10 requests\. Completed 3 Failed 2 Charged 3 Not charged 2 Running 5 Pending 0/,
  );
  expect(half.text).toMatch(/Expected end 2026-11-21 12:0[1-3] UTC at the pace so far/);
  gate.resolve(undefined);
  await working;
  const { text, html } = await show(id);
  expect(text).toMatch(/Completed: 100% of 10 requests\. Completed 8 Failed 2 .*8 credits/);
  expect(text).not.toContain('Expected end');
  expect(text).toMatch(/Failed requests by reason Reason Requests tls_failed 2/);
  expect(html).toContain('href="https://api.example.com/docs/errors/tls_failed"');
  expect(html).not.toContain('/cancel-batch');
});

test('a batch leads to a file of its results', async () => {
  const { service, submit, show, visitor } = await member();
  const [id, other] = [await submit(['a', 'b']), await submit(['c'])];
  expect((await visitor.get(`/batch-results?id=${other}`)).html).toBe('');
  expect((await show(other)).html).not.toContain('/batch-results');
  await service.work();
  expect((await show(id)).html).toContain(`/batch-results?id=${id}`);
  const file = await visitor.get(`/batch-results?id=${id}`);
  expect(file.headers).toMatchObject({
    'Content-Type': 'application/x-ndjson',
    'Content-Disposition': `attachment; filename="sitefetch-batch-${id}.ndjson"`,
  });
  const lines = file.html.trim().split('\n');
  const names = lines.map((line) => (JSON.parse(line) as { custom_id: string }).custom_id);
  expect(names.sort()).toEqual(['a', 'b']);
});

test('a batch of more than 1,000 requests says how the API returns its results', async () => {
  const { world, service, show, visitor, key } = await member();
  const { json } = await service.post(BATCHES, key, { input: 'upload' });
  const id = String(json['batch_id']);
  expect((await show(id)).text).toContain('Waiting for its upload: – of 0 requests.');
  world.uploads.send(String(json['upload_url']), '{}\n'.repeat(1_001));
  await service.ask(`${BATCHES}/${id}/start`, { method: 'POST', key });
  for (let round = 0; round < 12; round++) await service.work();
  const { text, html } = await show(id);
  expect(text).toMatch(/Completed: 100% of 1,001 requests\. .*Invalid 1,001/);
  expect(text).toContain(`/api/v1/scraper/batches/${id}/results" --header`);
  expect(html).not.toContain('/batch-results');
  expect((await visitor.get(`/batch-results?id=${id}`)).status).toBe(404);
});

test('a batch is cancelled by a form, and says so', async () => {
  const { submit, show, visitor } = await member();
  const id = await submit(['a', 'b']);
  const question = await visitor.get(`/cancel-batch?id=${id}`);
  expect(question.text).toMatch(/Cancel this batch\? 2 requests, .*cannot be resumed/);
  const stopped = await visitor.submit('/cancel-batch', { id });
  expect(stopped.status).toBe(303);
  const { text } = await visitor.get(stopped.location ?? '');
  expect(text).toMatch(/The batch is cancelled\..*Cancelled: 100% of 2 requests/);
  expect((await visitor.submit('/cancel-batch', { id })).location).toContain(`id=${id}`);
  expect((await show(id)).text).toMatch(/cancelled 2/);
});

test('a batch that has ended is retried by a button: its failed requests, in a new batch', async () => {
  const { world, service, submit, show, visitor } = await member();
  world.web[urlOf('x')] = new AppError('tls_failed');
  const id = await submit(['a', 'x']);
  expect((await show(id)).html).not.toContain('/retry-batch');
  await service.work();
  expect((await show(id)).text).toMatch(/Charged 1 Not charged 1 .*Retry 1 failed request/);
  world.web[urlOf('x')] = page('x');
  const retried = await visitor.submit('/retry-batch', { id });
  const made = new URLSearchParams(retried.location?.split('?')[1]).get('id') ?? '';
  expect([made === id, (await visitor.get(retried.location ?? '')).text]).toEqual([
    false,
    expect.stringContaining('retried in this new batch'),
  ]);
  for (let round = 0; round < 5; round++) await service.work();
  expect((await show(made)).text).toMatch(/Completed: 100% of 1 request\. Completed 1 Failed 0/);
  const again = await visitor.submit('/retry-batch', { id: made });
  expect([again.status, again.text]).toEqual([400, expect.stringContaining('refused it with 409')]);
});

test('a batch of another organization and none at all look the same', async () => {
  const dashboard = newDashboard();
  const ada = await member('ada@example.com', dashboard);
  const grace = await member('grace@example.com', dashboard);
  const foreign = await ada.submit(['a']);
  for (const id of [foreign, '019a0000-0000-7000-8000-000000000000', 'x', '<script>']) {
    const { status, text, html } = await grace.show(id);
    expect([status, text.includes('There is no such batch.'), html.includes('<script>')]).toEqual([
      404,
      true,
      false,
    ]);
    const file = await grace.visitor.get(`/batch-results?id=${encodeURIComponent(id)}`);
    const cancel = await grace.visitor.submit('/cancel-batch', { id });
    expect([file.status, cancel.status]).toEqual([404, 404]);
  }
  expect((await ada.show(foreign)).text).toContain('Running');
});

test('batches are listed newest first, 25 a page', async () => {
  const { visitor, submit } = await member();
  expect((await visitor.get('/batches')).text).toContain('There are no batches yet.');
  const ids: string[] = [];
  for (let n = 0; n < 26; n++) ids.unshift(await submit(['a', 'b'], { tags: [`n${n}`] }));
  const first = await visitor.get('/batches');
  expect(first.text).toMatch(/Running \S+ 0% 2 0 0 n25 /);
  const idsIn = (html: string) => [...html.matchAll(/batches\?id=([0-9a-f-]+)/g)].map(([, id]) => id);
  expect(idsIn(first.html)).toEqual(ids.slice(0, 25));
  const [, older = ''] = /rel="next" href="[^"]*(\/batches\?[^"]+)"/.exec(first.html) ?? [];
  expect(idsIn((await visitor.get(older.replaceAll('&amp;', '&'))).html)).toEqual(ids.slice(25));
});
