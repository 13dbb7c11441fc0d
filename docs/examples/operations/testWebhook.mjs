import { Sitefetch } from '@sitefetch/client';

const { SITEFETCH_URL, SITEFETCH_KEY, WEBHOOK_ID } = process.env;
const client = new Sitefetch({ baseUrl: SITEFETCH_URL, apiKey: SITEFETCH_KEY });
const { delivery_id, status } = await client.webhooks.test(WEBHOOK_ID);
console.log(delivery_id, status);
