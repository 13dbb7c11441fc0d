import { describe, expect, test } from 'vitest';
import { AppError } from '../../shared/errors.ts';
import { serviceOver } from '../support/api.ts';
import { page } from '../support/pages.ts';
import { keyIn, newDashboard } from '../support/visitor.ts';

const JOBS = '/api/v1/scraper/jobs';
const url = 'https://example.com/';
const DAY_MS = 24 * 3_600_000;

async function member(email = 'ada@example.com', dashboard = newDashboard()) {
  const { world } = dashboard;
  const service = serviceOver(world);
  const visitor = dashboard.newVisitor();
  const key = keyIn((await visitor.join(email)).html) ?? '';
  const submit = async (target = url) =>
    String((await service.post(JOBS, key, { url: target })).json['job_id']);
  const show = (id: string) => visitor.get(`/jobs?id=${encodeURIComponent(id)}`);
  return { ...dashboard, service, visitor, submit, show };
}

describe('a job', () => {
  test('shows its current state, from its submit to its result', async () => {
    const { world, service, submit, show, visitor } = await member();
    world.web[url] = page('<h1>Hello</h1>');
    const id = await submit();
    const pending = await show(` ${id.toUpperCase()} `);
    expect([pending.status, pending.text]).toEqual([200, expect.stringMatching(/Pending.*Attempts 0 of 3/)]);
    expect(pending.text).not.toContain('Download');
    expect((await visitor.get(`/job-result?id=${id}`)).status).toBe(404);
    await service.work();
    const { text } = await show(id);
    expect(text).toMatch(
      /Completed\. .*Attempts 1 of 3.*1 credit\. A page was delivered.*200 from the target/,
    );
    expect(text).toContain('14 bytes, text/html');
    const result = await visitor.get(`/job-result?id=${id}`);
    expect([result.status, result.html]).toEqual([303, '']);
    expect(result.headers['Location']).toMatch(/^https:\/\/results\.test\/results\/org_/);
  });

  test('shows why it failed, what to do, and that nothing was charged', async () => {
    const { world, service, submit, show, visitor } = await member();
    world.web[url] = new AppError('tls_failed');
    const id = await submit();
    await service.work();
    const { text, html } = await show(id);
    expect(text).toMatch(/Failed\. No secure connection.*0 credits\. No page came back/);
    expect(html).toContain('href="https://api.example.com/docs/errors/tls_failed"');
    expect((await visitor.get(`/job-result?id=${id}`)).status).toBe(404);
  });

  test('of another organization, one that expired, and none at all look the same', async () => {
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

  test('shows markup in its URL, and in what was typed, as text', async () => {
    const { submit, show } = await member();
    const { html } = await show(await submit(`${url}?q=<script>alert(1)</script>`));
    const typed = await show('"><script>alert(1)</script>');
    for (const shown of [html, typed.html]) expect(shown).not.toMatch(/<script>|"><script/);
  });
});

test('without an id, the page says which jobs it shows', async () => {
  const { visitor } = await member();
  const { status, text } = await visitor.get('/jobs');
  expect([status, text]).toEqual([200, expect.stringContaining('Jobs are not listed here')]);
});
