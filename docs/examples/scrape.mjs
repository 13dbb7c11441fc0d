// One page with Node 20 or newer: at once, and as a job.
//   SITEFETCH_URL=https://... SITEFETCH_KEY=sf_... node scrape.mjs https://example.com/
import { randomUUID } from 'node:crypto';
import { argv, env, exit } from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';

const MAX_TRIES = 4;

const [, , url] = argv;
if (!url || !env.SITEFETCH_URL || !env.SITEFETCH_KEY) {
  console.error('Usage: SITEFETCH_URL=https://... SITEFETCH_KEY=sf_... node scrape.mjs https://example.com/');
  exit(2);
}

const base = env.SITEFETCH_URL.replace(/\/$/, '');

/** Calls the API, and repeats the call while the error may pass. Throws any other error. */
async function ask(path, { method = 'GET', headers = {}, body } = {}) {
  for (let tried = 1; ; tried += 1) {
    const answer = await fetch(`${base}/api/v1/scraper${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${env.SITEFETCH_KEY}`,
        'Content-Type': 'application/json',
        ...headers,
      },
      body: body && JSON.stringify(body),
    });
    if (answer.ok) return answer;
    const error = await answer.json();
    if (error.code === 'insufficient_credits') {
      throw new Error(`Out of credits: ${error.credits_remaining} left, ${error.credits_required} needed.`);
    }
    if (!error.retryable || tried === MAX_TRIES) {
      throw new Error(`${answer.status} ${error.code}: ${error.message} (${error.request_id})`);
    }
    // A refusal says how long to wait; after any other error, wait twice as long each time.
    await wait(1_000 * (error.retry_after ?? 2 ** tried));
  }
}

const page = await ask('', { method: 'POST', body: { url, render_js: true, timeout: 60_000 } });
const html = await page.text();
console.log(
  `${page.headers.get('X-Target-Status')} ${page.headers.get('X-Target-Url')}: ${html.length} characters,`,
);
console.log(`${page.headers.get('X-Credits-Used')} credits, ${page.headers.get('X-Credits-Remaining')} left`);

// The key is the same in every try, so that a repeat is no second job.
const headers = { 'Idempotency-Key': randomUUID() };
const { job_id } = await (await ask('/jobs', { method: 'POST', headers, body: { url } })).json();
for (;;) {
  const answer = await ask(`/jobs/${job_id}`);
  const job = await answer.json();
  if (job.status === 'failed') throw new Error(`${job.error_code}: ${job.error}`);
  if (job.status === 'completed') break;
  await wait(1_000 * Number(answer.headers.get('Retry-After')));
}
const result = await ask(`/jobs/${job_id}/result`);
console.log(`job ${job_id}: ${(await result.arrayBuffer()).byteLength} bytes`);
