const { SITEFETCH_URL, SITEFETCH_KEY } = process.env;

const response = await fetch(`${SITEFETCH_URL}/api/v1/map`, {
  method: 'POST',
  headers: {
    Authorization: `Bearer ${SITEFETCH_KEY}`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify({
    url: 'https://example.com/',
    limit: 100,
  }),
});
if (!response.ok) throw new Error(await response.text());
const { urls, complete } = await response.json();
for (const { url, title } of urls) console.log(url, title);
console.log(complete ? 'All URLs.' : 'There may be more.');
