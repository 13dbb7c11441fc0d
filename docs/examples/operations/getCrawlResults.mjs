import { Sitefetch } from '@sitefetch/client';

const { SITEFETCH_URL, SITEFETCH_KEY, CRAWL_ID } = process.env;
const client = new Sitefetch({ baseUrl: SITEFETCH_URL, apiKey: SITEFETCH_KEY });
for await (const result of client.crawls.results(CRAWL_ID, { include: 'body' }))
  console.log(result.url, result.status, result.body?.length, result.cursor);
