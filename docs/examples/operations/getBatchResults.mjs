const { SITEFETCH_URL, SITEFETCH_KEY, BATCH_ID } = process.env;

const results = `/api/v1/scraper/batches/${BATCH_ID}/results?include=body`;
const response = await fetch(SITEFETCH_URL + results, {
  headers: { Authorization: `Bearer ${SITEFETCH_KEY}` },
});
if (!response.ok) throw new Error(await response.text());
for (const line of (await response.text()).split('\n').filter(Boolean)) {
  const { custom_id, status, body = '', cursor } = JSON.parse(line);
  console.log(custom_id, status, body.length, cursor);
}
