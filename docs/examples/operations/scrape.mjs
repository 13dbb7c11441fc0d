const { SITEFETCH_URL, SITEFETCH_KEY } = process.env;

const response = await fetch(`${SITEFETCH_URL}/api/v1/scraper`, {
  method: 'POST',
  headers: {
    Authorization: `Bearer ${SITEFETCH_KEY}`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify({
    url: 'https://example.com/',
    mode: 'auto',
  }),
});
if (!response.ok) throw new Error(await response.text());
console.log(await response.text());
