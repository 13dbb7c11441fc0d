import { expect, test } from 'vitest';
import { AppError } from '../../shared/errors.ts';
import { serviceOver } from '../support/world/api.ts';
import { page } from '../support/world/pages.ts';
import { hidden, keyIn, newDashboard } from '../support/world/visitor.ts';

const JOBS = '/api/v1/scraper/jobs';
const url = 'https://example.com/';
const DAY_MS = 24 * 3_600_000;

async function member(email = 'ada@example.com', dashboard = newDashboard()) {
  const { world } = dashboard;
  const service = serviceOver(world);
  const visitor = dashboard.newVisitor();
  const key = keyIn((await visitor.join(email)).html) ?? '';
  const submit = async (target = url, fields = {}) =>
    String((await service.post(JOBS, key, { url: target, ...fields })).json['job_id']);
  const show = (id: string) => visitor.get(`/jobs?id=${encodeURIComponent(id)}`);
  return { ...dashboard, service, visitor, submit, show };
}

test('a job shows its current state, from its submit to its result', async () => {
  const { world, service, submit, show, visitor } = await member();
  world.web[url] = page('<h1>Hello</h1>');
  const id = await submit();
  const pending = await show(` ${id.toUpperCase()} `);
  expect([pending.status, pending.text]).toEqual([200, expect.stringMatching(/Pending.*Attempts 0 of 3/)]);
  expect(pending.text).not.toContain('Download');
  expect((await visitor.get(`/job-result?id=${id}`)).status).toBe(404);
  await service.work();
  const { text } = await show(id);
  expect(text).toMatch(/Completed\. .*Attempts 1 of 3.*1 credit\. A page was delivered.*200 from the target/);
  expect(text).toContain('14 bytes, text/html');
  const result = await visitor.get(`/job-result?id=${id}`);
  expect([result.status, result.html]).toEqual([303, '']);
  expect(result.headers['Location']).toMatch(/^https:\/\/results\.test\/results\/org_/);
});

test('a job shows why it failed, what to do, and that nothing was charged', async () => {
  const { world, service, submit, show, visitor } = await member();
  world.web[url] = new AppError('tls_failed');
  const id = await submit();
  await service.work();
  const { text, html } = await show(id);
  expect(text).toMatch(/Failed\. No secure connection.*0 credits\. No page came back/);
  expect(html).toContain('href="https://api.example.com/docs/errors/tls_failed"');
  expect((await visitor.get(`/job-result?id=${id}`)).status).toBe(404);
});

test('a job of another organization, an expired one, and none at all look the same', async () => {
  const dashboard = newDashboard();
  const ada = await member('ada@example.com', dashboard);
  const grace = await member('grace@example.com', dashboard);
  dashboard.world.web[url] = page('<h1>Hello</h1>');
  const [foreign, own] = [await ada.submit(), await grace.submit()];
  await ada.service.work();
  expect((await grace.show(own)).status).toBe(200);
  const seen = async (id: string) => {
    const { status, text } = await grace.show(id);
    const download = await grace.visitor.get(`/job-result?id=${encodeURIComponent(id)}`);
    return [status, text.includes('There is no such job.'), download.status, download.headers['Location']];
  };
  const unseen = [404, true, 404, undefined];
  for (const id of [foreign, '019a0000-0000-7000-8000-000000000000', 'x', "'; --", 'é'.repeat(500)])
    expect(await seen(id)).toEqual(unseen);
  dashboard.world.pass(30 * DAY_MS);
  await grace.visitor.signIn('grace@example.com');
  expect(await seen(own)).toEqual(unseen);
});

test('a job shows markup in its URL, and in what was typed, as text', async () => {
  const { submit, show } = await member();
  const { html } = await show(await submit(`${url}?q=<script>alert(1)</script>`));
  const typed = await show('"><script>alert(1)</script>');
  for (const shown of [html, typed.html]) expect(shown).not.toMatch(/<script>|"><script/);
});

test('the list of jobs has the jobs of the organization, with their state and tags, newest first', async () => {
  const { world, service, submit, visitor, show } = await member();
  expect((await visitor.get('/jobs')).text).toContain('There are no jobs yet.');
  world.web[url] = page('<h1>Hello</h1>');
  const done = await submit();
  await service.work();
  world.pass(1_000);
  const pending = await submit(`${url}long/${'x'.repeat(200)}?q=<script>`, { tags: ['nightly'] });
  const { text, html } = await visitor.get('/jobs');
  expect(text).toMatch(
    /State Page Kind Tags Credits Took, ms Submitted Pending example\.com\/long\/x+… Plain nightly .*Completed example\.com\/ Plain 1 \d/,
  );
  expect(html).not.toContain('<script>alert');
  expect(html).toContain(`/jobs?id=${pending}`);
  expect((await show(done)).text).toContain('All jobs');
});

test('the list of jobs is filtered by state and tag, and says so if nothing matches', async () => {
  const { submit, visitor } = await member();
  const tagged = await submit(url, { tags: ['a:b'] });
  const other = await submit();
  const { html } = await visitor.get('/jobs?status=pending&tag=a%3Ab&id=');
  expect([html.includes(`id=${tagged}`), html.includes(`id=${other}`)]).toEqual([true, false]);
  expect((await visitor.get('/jobs?status=failed&tag=')).text).toContain('No job matches.');
  const wrong = await visitor.get('/jobs?tag=two%20words');
  expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('expected 1 to 64 letters')]);
  expect((await visitor.get('/jobs?cursor=x')).status).toBe(422);
  const unknown = await visitor.get('/jobs?sort=price');
  expect([unknown.status, unknown.text]).toEqual([422, expect.stringContaining('sort')]);
});

test('the list of jobs has 25 jobs a page, and leads to older ones', async () => {
  const { submit, visitor, world } = await member();
  const ids: string[] = [];
  for (let n = 0; n < 30; n++) {
    world.pass(1_000);
    ids.push(await submit(url, { tags: ['x'] }));
  }
  const listed = (html: string) => [...html.matchAll(/jobs\?id=([\w-]+)/g)].map(([, id]) => id);
  const first = await visitor.get('/jobs?tag=x');
  const [, older = ''] = /rel="next" href="[^"]*(\/jobs\?[^"]*)"/.exec(first.html) ?? [];
  const second = await visitor.get(older.replaceAll('&amp;', '&'));
  expect([listed(first.html).length, [...listed(first.html), ...listed(second.html)]]).toEqual([
    25,
    ids.reverse(),
  ]);
  expect(second.html).not.toContain('rel="next"');
});

test('the list of jobs has none of another organization', async () => {
  const dashboard = newDashboard();
  const ada = await member('ada@example.com', dashboard);
  const grace = await member('grace@example.com', dashboard);
  await ada.submit();
  expect((await grace.visitor.get('/jobs')).text).toContain('There are no jobs yet.');
});

test('cancelling a job ends it, and says that nothing is charged', async () => {
  const { service, submit, show, visitor } = await member();
  const id = await submit();
  expect((await show(id)).text).toContain('Cancel the job');
  expect((await visitor.get(`/cancel-job?id=${id}`)).text).toContain('Cancel this job?');
  const { status, location } = await visitor.submit('/cancel-job', { id });
  expect([status, location]).toEqual([303, `/jobs?id=${id}&notice=cancelled`]);
  const { text } = await visitor.get(location ?? '');
  expect(text).toMatch(/The job is cancelled\. Nothing is charged\..*Failed\. The job was cancelled\./);
  expect(text).not.toContain('Cancel the job');
  await service.work();
  expect((await visitor.submit('/cancel-job', { id })).location).toBe(`/jobs?id=${id}`);
});

test('a job that has ended shows how long it took, and runs again with its URL and options', async () => {
  const { world, service, submit, show, visitor } = await member();
  world.web[url] = () => {
    world.pass(1_234);
    return Promise.resolve(page('<h1>Hello</h1>'));
  };
  const id = await submit(url, { tags: ['nightly'], format: 'text', headers: { 'X-A': 'b' } });
  await service.work();
  expect((await show(id)).text).toMatch(
    /Finished 2026-11-21 12:00:\d\d UTC Duration 1,234 ms .*Kept until 2026-12-21/,
  );
  const { location } = await visitor.submit('/run-again', { id });
  const { text } = await visitor.get(location ?? '');
  expect(text).toMatch(/This is the new one\..*Pending.*Tags nightly/);
  await service.work();
  const made = new URLSearchParams(location?.split('?')[1]).get('id') ?? '';
  expect((await show(made)).text).toMatch(/\d bytes, text\/plain/);
});

test('a double click on "Run again" runs a job once, and a click on a page loaded since runs it again', async () => {
  const { world, service, submit, show, visitor } = await member();
  world.web[url] = page('ok');
  const id = await submit();
  await service.work();
  const first = hidden((await show(id)).html, 'once');
  const [one, same] = await Promise.all([1, 2].map(() => visitor.submit('/run-again', { id, once: first })));
  await visitor.submit('/run-again', { id, once: first });
  expect([one?.status, same?.location]).toEqual([303, one?.location]);
  const other = await visitor.submit('/run-again', { id, once: hidden((await show(id)).html, 'once') });
  expect(other.location).not.toBe(one?.location);
});

test('a member runs ten jobs again in a quarter of an hour at most', async () => {
  const { world, service, submit, visitor } = await member();
  world.web[url] = page('ok');
  const id = await submit();
  await service.work();
  const statuses: number[] = [];
  for (let i = 0; i < 11; i += 1) statuses.push((await visitor.submit('/run-again', { id })).status);
  expect(statuses).toEqual([...Array<number>(10).fill(303), 429]);
});

test('a fault of the API is not said to be a refusal', async () => {
  const { world, service, submit, visitor } = await member();
  world.web[url] = page('ok');
  const id = await submit();
  await service.work();
  world.jobs.create = () => Promise.reject(new Error('the table is gone'));
  const { status, text } = await visitor.submit('/run-again', { id });
  expect([status, text]).toEqual([503, expect.not.stringMatching(/refused|undefined/)]);
});

test('a job whose method is not GET does not run again', async () => {
  const { world, service, submit, show, visitor } = await member();
  world.web[url] = page('ok');
  const id = await submit(url, { method: 'POST', body: 'a=b' });
  await service.work();
  expect((await show(id)).text).not.toContain('Run again');
  expect((await visitor.submit('/run-again', { id })).status).toBe(400);
});

test('a job runs again with a key that only submits, for ten minutes, and is shown nowhere', async () => {
  const { world, service, submit, visitor, lines } = await member();
  world.web[url] = page('ok');
  const id = await submit();
  await service.work();
  const { orgId = '' } = (await world.jobs.find(id)) ?? {};
  const known = (await world.keys.list(orgId)).length;
  await visitor.submit('/run-again', { id });
  const made = (await world.keys.list(orgId)).filter(({ forgetAt }) => forgetAt !== undefined);
  const until = new Date(world.now().getTime() + 600_000);
  expect(made).toMatchObject([{ restrictions: { routes: ['jobs'] }, expiresAt: until, forgetAt: until }]);
  expect((await world.keys.list(orgId)).length).toBe(known + 1);
  expect(JSON.stringify([lines, (await visitor.get('/keys')).html])).not.toContain(made[0]?.id);
});

test('a job does not run again for a member who is removed at that moment', async () => {
  const { world, service, submit, visitor } = await member();
  world.web[url] = page('ok');
  const id = await submit();
  await service.work();
  const { orgId = '' } = (await world.jobs.find(id)) ?? {};
  const { save } = world.keys;
  world.keys.save = async (key) => {
    world.keys.save = save;
    for (const person of await world.people.membersOf(orgId)) await world.people.remove(person.id);
    await save(key);
  };
  expect((await visitor.submit('/run-again', { id })).status).toBe(404);
  const made = (await world.keys.list(orgId)).filter(({ forgetAt }) => forgetAt !== undefined);
  expect(made).toMatchObject([{ status: 'revoked' }]);
});

test('a job of another organization does not run again', async () => {
  const dashboard = newDashboard();
  const ada = await member('ada@example.com', dashboard);
  const grace = await member('grace@example.com', dashboard);
  const id = await ada.submit();
  expect((await grace.visitor.submit('/run-again', { id })).status).toBe(404);
});

test('cancelling a job of another organization is not found', async () => {
  const dashboard = newDashboard();
  const ada = await member('ada@example.com', dashboard);
  const grace = await member('grace@example.com', dashboard);
  const id = await ada.submit();
  expect((await grace.visitor.submit('/cancel-job', { id })).status).toBe(404);
  expect((await ada.show(id)).text).toContain('Pending');
});
