const { SITEFETCH_URL, SITEFETCH_KEY } = process.env;

const response = await fetch(`${SITEFETCH_URL}/api/v1/crawls?limit=10`, {
  headers: { Authorization: `Bearer ${SITEFETCH_KEY}` },
});
if (!response.ok) throw new Error(await response.text());
const { data } = await response.json();
for (const crawl of data) console.log(crawl.crawl_id, crawl.status, crawl.counts);
