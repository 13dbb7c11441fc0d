const { SITEFETCH_URL, SITEFETCH_KEY } = process.env;

const response = await fetch(`${SITEFETCH_URL}/api/v1/webhooks`, {
  headers: { Authorization: `Bearer ${SITEFETCH_KEY}` },
});
if (!response.ok) throw new Error(await response.text());
const { data } = await response.json();
console.log(data);
