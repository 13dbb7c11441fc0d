const { SITEFETCH_URL, SITEFETCH_KEY, BATCH_ID } = process.env;

const response = await fetch(`${SITEFETCH_URL}/api/v1/scraper/batches/${BATCH_ID}/start`, {
  method: 'POST',
  headers: { Authorization: `Bearer ${SITEFETCH_KEY}` },
});
if (!response.ok) throw new Error(await response.text());
const { status, counts } = await response.json();
console.log(status, counts);
