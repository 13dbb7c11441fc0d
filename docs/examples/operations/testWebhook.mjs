const { SITEFETCH_URL, SITEFETCH_KEY, WEBHOOK_ID } = process.env;

const response = await fetch(`${SITEFETCH_URL}/api/v1/webhooks/${WEBHOOK_ID}/test`, {
  method: 'POST',
  headers: { Authorization: `Bearer ${SITEFETCH_KEY}` },
});
if (!response.ok) throw new Error(await response.text());
const { delivery_id } = await response.json();
console.log(delivery_id);
