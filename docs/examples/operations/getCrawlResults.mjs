const { SITEFETCH_URL, SITEFETCH_KEY, CRAWL_ID } = process.env;

const results = `/api/v1/crawls/${CRAWL_ID}/results?include=body`;
const response = await fetch(SITEFETCH_URL + results, {
  headers: { Authorization: `Bearer ${SITEFETCH_KEY}` },
});
if (!response.ok) throw new Error(await response.text());
for (const line of (await response.text()).split('\n').filter(Boolean)) {
  const { url, status, body = '', cursor } = JSON.parse(line);
  console.log(url, status, body.length, cursor);
}
