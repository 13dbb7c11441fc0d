const { SITEFETCH_URL, SITEFETCH_KEY, WEBHOOK_ID } = process.env;

const response = await fetch(`${SITEFETCH_URL}/api/v1/webhooks/${WEBHOOK_ID}`, {
  method: 'PATCH',
  headers: { Authorization: `Bearer ${SITEFETCH_KEY}`, 'Content-Type': 'application/json' },
  body: JSON.stringify({ enabled: true }),
});
if (!response.ok) throw new Error(await response.text());
const { enabled } = await response.json();
console.log(enabled);
