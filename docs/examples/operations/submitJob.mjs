import { Sitefetch } from '@sitefetch/client';

const { SITEFETCH_URL, SITEFETCH_KEY } = process.env;
const client = new Sitefetch({ baseUrl: SITEFETCH_URL, apiKey: SITEFETCH_KEY });
const job = await client.jobs.submit(
  { url: 'https://example.com/', render_js: true },
  { idempotencyKey: 'order-4711' },
);
console.log(job.job_id);
