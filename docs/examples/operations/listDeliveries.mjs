import { Sitefetch } from '@sitefetch/client';

const { SITEFETCH_URL, SITEFETCH_KEY, WEBHOOK_ID } = process.env;
const client = new Sitefetch({ baseUrl: SITEFETCH_URL, apiKey: SITEFETCH_KEY });
for await (const delivery of client.webhooks.deliveries(WEBHOOK_ID)) console.log(delivery);
