import { Sitefetch } from '@sitefetch/client';

const { SITEFETCH_URL, SITEFETCH_KEY, CRAWL_ID } = process.env;
const client = new Sitefetch({ baseUrl: SITEFETCH_URL, apiKey: SITEFETCH_KEY });
const { crawl_id, counts } = await client.crawls.retryFailed(CRAWL_ID);
console.log(crawl_id, counts.discovered);
