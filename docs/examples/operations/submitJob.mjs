const { SITEFETCH_URL, SITEFETCH_KEY } = process.env;

const response = await fetch(`${SITEFETCH_URL}/api/v1/scraper/jobs`, {
  method: 'POST',
  headers: {
    Authorization: `Bearer ${SITEFETCH_KEY}`,
    'Content-Type': 'application/json',
    'Idempotency-Key': 'order-4711',
  },
  body: JSON.stringify({
    url: 'https://example.com/',
    render_js: true,
  }),
});
if (!response.ok) throw new Error(await response.text());
const { job_id } = await response.json();
console.log(job_id);
