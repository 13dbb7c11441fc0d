import { Sitefetch } from '@sitefetch/client';

const { SITEFETCH_URL, SITEFETCH_KEY, BATCH_ID } = process.env;
const client = new Sitefetch({ baseUrl: SITEFETCH_URL, apiKey: SITEFETCH_KEY });
const { batch_id, counts } = await client.batches.retryFailed(BATCH_ID);
console.log(batch_id, counts.total);
