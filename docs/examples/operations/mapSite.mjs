import { Sitefetch } from '@sitefetch/client';

const { SITEFETCH_URL, SITEFETCH_KEY } = process.env;
const client = new Sitefetch({ baseUrl: SITEFETCH_URL, apiKey: SITEFETCH_KEY });
const { urls, complete } = await client.map({ url: 'https://example.com/', limit: 100 });
for (const { url, title } of urls) console.log(url, title);
console.log(complete ? 'All URLs.' : 'There may be more.');
