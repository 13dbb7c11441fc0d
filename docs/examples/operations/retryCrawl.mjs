const { SITEFETCH_URL, SITEFETCH_KEY, CRAWL_ID } = process.env;

const response = await fetch(`${SITEFETCH_URL}/api/v1/crawls/${CRAWL_ID}/retry_failed`, {
  method: 'POST',
  headers: { Authorization: `Bearer ${SITEFETCH_KEY}` },
});
if (!response.ok) throw new Error(await response.text());
const { crawl_id, counts } = await response.json();
console.log(crawl_id, counts.discovered);
