const { SITEFETCH_URL, SITEFETCH_KEY, JOB_ID } = process.env;

const response = await fetch(`${SITEFETCH_URL}/api/v1/scraper/jobs/${JOB_ID}/cancel`, {
  method: 'POST',
  headers: { Authorization: `Bearer ${SITEFETCH_KEY}` },
});
if (!response.ok) throw new Error(await response.text());
const job = await response.json();
console.log(job.status, job.error_code);
