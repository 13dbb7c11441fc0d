const { SITEFETCH_URL, SITEFETCH_KEY } = process.env;

const response = await fetch(`${SITEFETCH_URL}/api/v1/scraper/jobs?status=completed&limit=10`, {
  headers: { Authorization: `Bearer ${SITEFETCH_KEY}` },
});
if (!response.ok) throw new Error(await response.text());
const { data } = await response.json();
for (const job of data) console.log(job.job_id, job.credits_used, job.url);
