const { SITEFETCH_URL, SITEFETCH_KEY } = process.env;

const response = await fetch(`${SITEFETCH_URL}/api/v1/scraper/jobs?status=failed&tag=nightly`, {
  headers: { Authorization: `Bearer ${SITEFETCH_KEY}` },
});
if (!response.ok) throw new Error(await response.text());
const { data } = await response.json();
for (const job of data) console.log(job.job_id, job.error_code, job.url);
