const { SITEFETCH_URL, SITEFETCH_KEY, WEBHOOK_ID, DELIVERY_ID } = process.env;

const response = await fetch(
  `${SITEFETCH_URL}/api/v1/webhooks/${WEBHOOK_ID}/deliveries/${DELIVERY_ID}/redeliver`,
  {
    method: 'POST',
    headers: { Authorization: `Bearer ${SITEFETCH_KEY}` },
  },
);
if (!response.ok) throw new Error(await response.text());
const { status } = await response.json();
console.log(status);
