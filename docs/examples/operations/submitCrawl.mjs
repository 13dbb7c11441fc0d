import { Sitefetch } from '@sitefetch/client';

const { SITEFETCH_URL, SITEFETCH_KEY } = process.env;
const client = new Sitefetch({ baseUrl: SITEFETCH_URL, apiKey: SITEFETCH_KEY });
const crawl = await client.crawls.submit({
  url: 'https://example.com/',
  limit: 50,
  request: { format: 'markdown' },
});
console.log(crawl.crawl_id);
