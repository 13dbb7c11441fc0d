const { SITEFETCH_URL, SITEFETCH_KEY } = process.env;

const response = await fetch(`${SITEFETCH_URL}/api/v1/account/activity?limit=10`, {
  headers: { Authorization: `Bearer ${SITEFETCH_KEY}` },
});
if (!response.ok) throw new Error(await response.text());
const activity = await response.json();
for (const scrape of activity.data) console.log(scrape.time, scrape.credits, scrape.url);
