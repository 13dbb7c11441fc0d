const { SITEFETCH_URL, SITEFETCH_KEY } = process.env;

const response = await fetch(`${SITEFETCH_URL}/api/v1/scraper/batches`, {
  method: 'POST',
  headers: {
    Authorization: `Bearer ${SITEFETCH_KEY}`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify({
    defaults: { render_js: true },
    requests: [{ url: 'https://example.com/', custom_id: 'home' }],
  }),
});
if (!response.ok) throw new Error(await response.text());
const { batch_id } = await response.json();
console.log(batch_id);
