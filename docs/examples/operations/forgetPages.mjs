const { SITEFETCH_URL, SITEFETCH_KEY } = process.env;

const query = new URLSearchParams({ url: 'https://example.com/' });
const response = await fetch(`${SITEFETCH_URL}/api/v1/cache?${query}`, {
  method: 'DELETE',
  headers: { Authorization: `Bearer ${SITEFETCH_KEY}` },
});
if (!response.ok) throw new Error(await response.text());
console.log(response.status);
