import { Sitefetch } from '@sitefetch/client';

const { SITEFETCH_URL, SITEFETCH_KEY } = process.env;
const client = new Sitefetch({ baseUrl: SITEFETCH_URL, apiKey: SITEFETCH_KEY });
const { webhook_id, secret } = await client.webhooks.create({
  url: 'https://example.com/hooks',
  events: ['job.failed'],
});
console.log(webhook_id, secret);
