import { Sitefetch } from '@sitefetch/client';

const { SITEFETCH_URL, SITEFETCH_KEY, BATCH_ID } = process.env;
const client = new Sitefetch({ baseUrl: SITEFETCH_URL, apiKey: SITEFETCH_KEY });
for await (const result of client.batches.results(BATCH_ID, { include: 'body' }))
  console.log(result.custom_id, result.status, result.body?.length, result.cursor);
