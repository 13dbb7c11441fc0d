import { Sitefetch } from '@sitefetch/client';

const { SITEFETCH_URL, SITEFETCH_KEY, WEBHOOK_ID, DELIVERY_ID } = process.env;
const client = new Sitefetch({ baseUrl: SITEFETCH_URL, apiKey: SITEFETCH_KEY });
const { status } = await client.webhooks.redeliver(WEBHOOK_ID, DELIVERY_ID);
console.log(status);
