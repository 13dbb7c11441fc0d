import { Sitefetch } from '@sitefetch/client';

const { SITEFETCH_URL, SITEFETCH_KEY } = process.env;
const client = new Sitefetch({ baseUrl: SITEFETCH_URL, apiKey: SITEFETCH_KEY });
const batch = await client.batches.submit({
  defaults: { render_js: true },
  requests: [{ url: 'https://example.com/', custom_id: 'home' }],
});
console.log(batch.batch_id);
