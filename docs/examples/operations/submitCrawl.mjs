const { SITEFETCH_URL, SITEFETCH_KEY } = process.env;

const response = await fetch(`${SITEFETCH_URL}/api/v1/crawls`, {
  method: 'POST',
  headers: {
    Authorization: `Bearer ${SITEFETCH_KEY}`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify({
    url: 'https://example.com/',
    limit: 50,
    request: { format: 'markdown' },
  }),
});
if (!response.ok) throw new Error(await response.text());
const { crawl_id } = await response.json();
console.log(crawl_id);
