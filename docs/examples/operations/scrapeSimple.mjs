const { SITEFETCH_URL, SITEFETCH_KEY } = process.env;

const query = new URLSearchParams({
  url: 'https://example.com/',
  render_js: 'true',
});
const response = await fetch(`${SITEFETCH_URL}/api/v1/scraper?${query}`, {
  headers: { Authorization: `Bearer ${SITEFETCH_KEY}` },
});
if (!response.ok) throw new Error(await response.text());
console.log(await response.text());
