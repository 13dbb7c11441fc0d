const { SITEFETCH_URL, SITEFETCH_KEY, BATCH_ID } = process.env;

const response = await fetch(`${SITEFETCH_URL}/api/v1/scraper/batches/${BATCH_ID}/retry_failed`, {
  method: 'POST',
  headers: { Authorization: `Bearer ${SITEFETCH_KEY}` },
});
if (!response.ok) throw new Error(await response.text());
const { batch_id, counts } = await response.json();
console.log(batch_id, counts.total);
