import { expect, test } from 'vitest';
import { serviceOver } from '../support/world/api.ts';
import { page } from '../support/world/pages.ts';
import { HOOK, verified } from '../support/life/webhook-life.ts';
import type { Received } from '../support/world/in-memory-webhooks.ts';
import { hidden, keyIn, newDashboard } from '../support/world/visitor.ts';

const SECRET = /whsec_[A-Za-z0-9+/]{43}=/;
const ID = /\/webhooks\?id=([0-9a-f-]{36})/;

async function member(email = 'ada@example.com', dashboard = newDashboard()) {
  const { world } = dashboard;
  world.answers[HOOK] = 204;
  world.web['https://example.com/'] = page('hello');
  const service = serviceOver(world);
  const visitor = dashboard.newVisitor();
  const key = keyIn((await visitor.join(email)).html) ?? '';
  let forms = 0;
  const add = async (fields: Record<string, string> = {}) => {
    forms += 1;
    const shown = await visitor.submit('/webhooks', { url: HOOK, once: String(forms), ...fields });
    return { ...shown, secret: SECRET.exec(shown.html)?.[0] ?? '', id: ID.exec(shown.html)?.[1] ?? '' };
  };
  const runJob = async (more: object = {}) => {
    await service.post('/api/v1/scraper/jobs', key, { url: 'https://example.com/', ...more });
    await service.work();
    await service.notify();
  };
  return { ...dashboard, service, visitor, key, add, runJob };
}

test('the page of webhooks adds an endpoint and shows its secret once, which signs its events', async () => {
  const { add, visitor, runJob, world } = await member();
  expect((await visitor.get('/webhooks')).text).toContain('There are no endpoints yet.');
  const { status, secret, id } = await add({ event: 'job.completed', description: 'Production' });
  expect([status, secret]).toEqual([200, expect.stringMatching(SECRET)]);
  const { text, html } = await visitor.get('/webhooks');
  expect(text).toMatch(/hooks\.example\/in Production job\.completed/);
  expect(html).not.toMatch(/whsec_/);
  await runJob();
  verified(world.received[0] as Received, secret);
  const shown = await visitor.get(`/webhooks?id=${id}`);
  expect(shown.text).toMatch(/Delivered\s+job\.completed\s+1 204 after/);
  expect(shown.html).not.toMatch(/whsec_/);
});

test('the page of webhooks handles a form with a secret once', async () => {
  const { add, visitor } = await member();
  await add({ once: 'same' });
  const again = await add({ once: 'same' });
  expect([again.status, again.secret]).toEqual([422, '']);
  expect(again.text).toContain('already sent');
  expect((await visitor.get('/webhooks')).html.match(/<li class="card">/g)).toHaveLength(1);
});

test.each([
  ['http://hooks.example/', 'its scheme is not https'],
  ['https://10.0.0.1/', 'not public'],
  ['https://api.example.com/', 'an address of this service'],
  ['nonsense', 'expected an absolute https URL'],
  ['', 'Enter an https URL'],
])('the page of webhooks says why %s is refused, and keeps what was typed', async (url, reason) => {
  const { add } = await member();
  const { status, text, html } = await add({ url, event: 'job.failed', description: 'kept' });
  expect(status).toBe(422);
  expect(text).toContain(reason);
  expect(html).toContain('value="kept"');
  expect(html).toMatch(/value="job.failed"\s+checked/);
  expect(html).not.toMatch(/value="job.completed"\s+checked/);
});

test('the page of webhooks says that an endpoint was disabled, on Home too, and enables it', async () => {
  const { add, visitor, runJob, world } = await member();
  const { id } = await add({ event: 'job.completed' });
  world.answers[HOOK] = 410;
  await runJob();
  for (const path of ['/webhooks', `/webhooks?id=${id}`])
    expect((await visitor.get(path)).text).toMatch(/Disabled since .*410/);
  expect((await visitor.get('/')).text).toContain('was disabled because it fails');
  const { location } = await visitor.submit('/change-webhook', { id, enabled: 'true' });
  expect((await visitor.get(location ?? '')).text).toMatch(/The endpoint is enabled\..*Enabled\./);
  expect((await visitor.get('/')).text).not.toContain('was disabled');
  const question = await visitor.get(`/change-webhook?id=${id}`);
  expect(question.text).toMatch(/Disable this endpoint\? https:\/\/hooks\.example\/in .*until then are lost/);
  expect((await visitor.get(`/webhooks?id=${id}`)).text).toContain('Enabled.');
  await visitor.submit('/change-webhook', { id, enabled: hidden(question.html, 'enabled') });
  expect((await visitor.get(`/webhooks?id=${id}`)).text).toContain('disabled by hand');
  expect((await visitor.get('/')).text).not.toContain('was disabled');
});

test('the page of webhooks sends a test event, and any event again', async () => {
  const { add, visitor, service, world } = await member();
  const { id } = await add();
  await visitor.submit('/test-webhook', { id });
  await service.notify();
  const { html } = await visitor.get(`/webhooks?id=${id}`);
  const [, delivery = ''] = /name="delivery" value="([0-9a-f-]{36})"/.exec(html) ?? [];
  const { location } = await visitor.submit('/redeliver', { id, delivery });
  expect((await visitor.get(location ?? '')).text).toContain('The event is on its way.');
  await service.notify();
  expect(world.received.map(({ headers }) => headers['webhook-id'])).toEqual([delivery, delivery]);
});

test('the page of webhooks sends as many test events as the API does, and says when there may be more', async () => {
  const { add, visitor, world } = await member();
  const { id } = await add();
  for (let n = 0; n < 30; n += 1) await visitor.submit('/test-webhook', { id });
  const sent = world.deliveries.all().length;
  expect(sent).toBe(30);
  expect(await visitor.submit('/test-webhook', { id })).toMatchObject({ status: 429 });
  expect(world.deliveries.all()).toHaveLength(sent);
});

test('the page of webhooks replaces a secret, of bare URLs too', async () => {
  const { add, visitor, runJob, world } = await member();
  const { id, secret: old } = await add({ event: 'job.completed' });
  const question = await visitor.get(`/rotate-webhook?id=${id}`);
  expect(question.text).toMatch(/Replace the signing secret\? https:\/\/hooks\.example\/in .*For 24 hours/);
  const fields = { id, once: hidden(question.html, 'once') };
  const { html, text } = await visitor.submit('/rotate-webhook', fields);
  expect((await visitor.submit('/rotate-webhook', fields)).text).toContain('already sent');
  const secret = SECRET.exec(html)?.[0] ?? '';
  expect(secret).not.toBe(old);
  expect(text).toContain('The old secret signs too until');
  const bare = await visitor.submit('/rotate-webhook', { id: 'default', once: 's' });
  await runJob({ webhook: `${HOOK}?bare` });
  world.answers[`${HOOK}?bare`] = 200;
  for (const sent of world.received.filter(({ url }) => url === HOOK)) {
    verified(sent, secret);
    verified(sent, old);
  }
  const toUrl = world.received.find(({ url }) => url !== HOOK) as Received;
  verified(toUrl, SECRET.exec(bare.html)?.[0] ?? '');
  expect((await visitor.get('/webhooks?id=default')).text).toContain('hooks.example/in?bare');
});

test('the page of webhooks lists deliveries page by page', async () => {
  const { add, visitor, runJob, world } = await member();
  const { id } = await add({ event: 'job.completed' });
  for (let n = 0; n < 27; n += 1) {
    await runJob();
    world.pass(1_000);
  }
  const first = await visitor.get(`/webhooks?id=${id}`);
  expect(
    first.html.match(/value="[^"]+" \/>\s*<div class="buttons">\s*<button class="plain">Send again/g),
  ).toHaveLength(25);
  const [, next = ''] = /rel="next"\s+href="[^"]*(\/webhooks\?[^"]+)"/.exec(first.html) ?? [];
  const second = await visitor.get(next.replaceAll('&amp;', '&'));
  expect(second.html.match(/Send again/g)).toHaveLength(2);
  expect(second.html).not.toContain('rel="next"');
});

test('the page of webhooks deletes an endpoint, and shows no other organization one', async () => {
  const dashboard = newDashboard();
  const ada = await member('ada@example.com', dashboard);
  const grace = await member('grace@example.com', dashboard);
  const { id } = await ada.add();
  expect((await grace.visitor.get(`/webhooks?id=${id}`)).status).toBe(404);
  expect((await grace.visitor.get('/webhooks?id=x')).status).toBe(404);
  expect((await grace.visitor.get(`/webhooks?id=default&cursor=x`)).status).toBe(404);
  for (const path of ['/remove-webhook', '/change-webhook', '/test-webhook', '/rotate-webhook', '/redeliver'])
    expect((await grace.visitor.submit(path, { id, once: path })).status, path).toBe(404);
  expect((await ada.visitor.get(`/webhooks?id=${id}`)).status).toBe(200);
  const question = await ada.visitor.get(`/remove-webhook?id=${id}`);
  expect(question.text).toMatch(
    /Delete this endpoint\? https:\/\/hooks\.example\/in .*Last event None .*cannot be undone/,
  );
  for (const path of ['/remove-webhook', '/change-webhook', '/rotate-webhook'])
    expect((await grace.visitor.get(`${path}?id=${id}`)).status, path).toBe(404);
  const { location } = await ada.visitor.submit('/remove-webhook', { id });
  expect((await ada.visitor.get(location ?? '')).text).toMatch(/is deleted.*There are no endpoints yet/);
});

test('the page of webhooks shows markup in a URL or note as text', async () => {
  const { add, visitor } = await member();
  const mark = '<script>alert(1)</script>';
  const { id } = await add({ url: `${HOOK}?q=${mark}`, description: mark });
  for (const path of ['/webhooks', `/webhooks?id=${id}`])
    expect((await visitor.get(path)).html).not.toContain('<script>alert');
});
