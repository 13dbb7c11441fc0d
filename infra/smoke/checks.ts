import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type SmokeSession, expect, expectStatus, header } from './session.ts';

type Job = { job_id: string; status: string; credits_used: number; error?: string };

type Outputs = { markdown: string; screenshot: { base64: string }; pdf: { base64: string } };

const SCRAPER = '/api/v1/scraper';
const POLL_MS = 500;
const [PNG, PDF] = ['\x89PNG', '%PDF'];
const startOf = (base64: string) => Buffer.from(base64.slice(0, 8), 'base64').toString('latin1', 0, 4);
const [PLAIN_CREDITS, RENDERED_CREDITS] = ['1', '5'];

/** The checks in their order. Each throws an error that says what is wrong. */
export const checks: Readonly<Record<string, (session: SmokeSession) => Promise<void>>> = {
  'responds at /healthz': async ({ withoutKey }) => {
    await expectStatus(await withoutKey('/healthz'), 200);
  },

  'describes itself': async ({ withoutKey }) => {
    const document = await expectStatus(await withoutKey('/openapi.json'), 200);
    expect(((await document.json()) as { openapi: string }).openapi, '3.1.0', 'The version of OpenAPI');
    const page = await expectStatus(await withoutKey('/docs'), 200);
    const files = new Set((await page.text()).match(/(?<="\.\/)docs\/\w+\.\w+(?=")/g));
    for (const file of files) await expectStatus(await withoutKey(`/${file}`), 200);
    for (const path of ['/docs/crawls.md', '/docs/search?q=crawl', '/docs/errors/timeout', '/llms.txt'])
      await expectStatus(await withoutKey(path), 200);
  },

  'refuses callers without a key': async ({ withoutKey }) => {
    const answer = await expectStatus(await withoutKey(`${SCRAPER}?url=https://example.com/`), 401);
    // API Gateway renames the header.
    const remapped = answer.headers.get('x-amzn-Remapped-WWW-Authenticate');
    expect(remapped ?? header(answer, 'WWW-Authenticate'), 'Bearer', 'WWW-Authenticate');
  },

  'refuses private targets': async ({ post }) => {
    const answer = await expectStatus(await post(SCRAPER, { url: 'http://127.0.0.1/' }), 400);
    expect(((await answer.json()) as { code: string }).code, 'url_not_allowed', 'The code');
  },

  'fetches a page': async ({ get, page }) => {
    const query = new URLSearchParams({ url: page });
    const answer = await expectStatus(await get(`${SCRAPER}?${query.toString()}`), 200);
    expect(header(answer, 'X-Target-Status'), '200', `The status of ${page}`);
    expect(header(answer, 'X-Credits-Used'), PLAIN_CREDITS, 'X-Credits-Used');
    header(answer, 'RateLimit');
    expect((await answer.arrayBuffer()).byteLength > 0, true, 'The page has content');
  },

  'renders a page': async ({ post, page }) => {
    const answer = await expectStatus(await post(SCRAPER, { url: page, render_js: true }), 200);
    header(answer, 'X-Render-State');
    expect(header(answer, 'Content-Type'), 'text/html; charset=utf-8', 'The type of the rendered page');
    expect(header(answer, 'X-Credits-Used'), RENDERED_CREDITS, 'X-Credits-Used');
    expect(/<html/i.test(await answer.text()), true, 'The rendered page is HTML');
  },

  'returns a page as text, picture and PDF': async ({ post, page }) => {
    const request = { url: page, format: 'json', formats: ['markdown', 'screenshot', 'pdf'] };
    const answer = await expectStatus(await post(SCRAPER, request), 200);
    expect(header(answer, 'X-Credits-Used'), RENDERED_CREDITS, 'X-Credits-Used');
    const { markdown, screenshot, pdf } = (await answer.json()) as Outputs;
    expect(markdown.trim().length > 0, true, 'The page has text');
    expect(startOf(screenshot.base64), PNG, 'The first bytes of the screenshot');
    expect(startOf(pdf.base64), PDF, 'The first bytes of the PDF');
  },

  'takes a job from submit to result': async (session) => {
    const idempotency = { 'Idempotency-Key': randomUUID() };
    const submit = () => session.post(`${SCRAPER}/jobs`, { url: session.page }, idempotency);
    const first = await jobIn(await submit(), 202);
    expect((await jobIn(await submit(), 202)).job_id, first.job_id, 'The job of a repeated submit');
    const job = await settled(session, first.job_id);
    expect(job.status, 'completed', `The job${job.error === undefined ? '' : ` (${job.error})`}`);
    session.charge(job.credits_used);
    const path = `${SCRAPER}/jobs/${job.job_id}/result`;
    const result = await expectStatus(await session.get(path), 200);
    expect((await result.arrayBuffer()).byteLength > 0, true, 'The result has content');
    await expectStatus(await session.get(path, { 'If-None-Match': header(result, 'ETag') }), 304);
  },

  'charges the reported credits': ({ balance }) => {
    const { charged, gone } = balance();
    if (charged === 0) throw new Error('Nothing was charged');
    expect(gone, charged, 'Credits deducted (differs if the organization is in use elsewhere)');
    return Promise.resolve();
  },
};

async function settled(session: SmokeSession, id: string): Promise<Job> {
  for (;;) {
    const job = await jobIn(await session.get(`${SCRAPER}/jobs/${id}`), 200);
    if (job.status === 'completed' || job.status === 'failed') return job;
    await wait(POLL_MS);
  }
}

async function jobIn(answer: Response, status: number): Promise<Job> {
  return (await (await expectStatus(answer, status)).json()) as Job;
}
