const { SITEFETCH_URL, SITEFETCH_KEY } = process.env;

const response = await fetch(`${SITEFETCH_URL}/api/v1/scraper/batches?limit=10`, {
  headers: { Authorization: `Bearer ${SITEFETCH_KEY}` },
});
if (!response.ok) throw new Error(await response.text());
const { data } = await response.json();
for (const batch of data) console.log(batch.batch_id, batch.status, batch.counts);
