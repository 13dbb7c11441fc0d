const { SITEFETCH_URL, SITEFETCH_KEY, CRAWL_ID } = process.env;

const response = await fetch(`${SITEFETCH_URL}/api/v1/crawls/${CRAWL_ID}`, {
  headers: { Authorization: `Bearer ${SITEFETCH_KEY}` },
});
if (!response.ok) throw new Error(await response.text());
const { status, counts } = await response.json();
console.log(status, counts);
