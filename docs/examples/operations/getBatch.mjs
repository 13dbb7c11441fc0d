import { Sitefetch } from '@sitefetch/client';

const { SITEFETCH_URL, SITEFETCH_KEY, BATCH_ID } = process.env;
const client = new Sitefetch({ baseUrl: SITEFETCH_URL, apiKey: SITEFETCH_KEY });
const { status, counts } = await client.batches.get(BATCH_ID);
console.log(status, counts);
