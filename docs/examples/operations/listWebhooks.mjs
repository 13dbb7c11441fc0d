import { Sitefetch } from '@sitefetch/client';

const { SITEFETCH_URL, SITEFETCH_KEY } = process.env;
const client = new Sitefetch({ baseUrl: SITEFETCH_URL, apiKey: SITEFETCH_KEY });
for await (const webhook of client.webhooks.list()) console.log(webhook);
