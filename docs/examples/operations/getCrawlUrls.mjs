const { SITEFETCH_URL, SITEFETCH_KEY, CRAWL_ID } = process.env;

const urls = `/api/v1/crawls/${CRAWL_ID}/urls?outcome=failed`;
const response = await fetch(SITEFETCH_URL + urls, {
  headers: { Authorization: `Bearer ${SITEFETCH_KEY}` },
});
if (!response.ok) throw new Error(await response.text());
for (const line of (await response.text()).split('\n').filter(Boolean)) {
  const { url, found_on, target_status, error_code } = JSON.parse(line);
  console.log(url, found_on, target_status, error_code);
}
