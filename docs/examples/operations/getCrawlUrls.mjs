import { Sitefetch } from '@sitefetch/client';

const { SITEFETCH_URL, SITEFETCH_KEY, CRAWL_ID } = process.env;
const client = new Sitefetch({ baseUrl: SITEFETCH_URL, apiKey: SITEFETCH_KEY });
for await (const { url, found_on, error_code } of client.crawls.urls(CRAWL_ID, { outcome: 'failed' }))
  console.log(url, found_on, error_code);
