const { SITEFETCH_URL, SITEFETCH_KEY } = process.env;

const response = await fetch(`${SITEFETCH_URL}/api/v1/webhooks`, {
  method: 'POST',
  headers: { Authorization: `Bearer ${SITEFETCH_KEY}`, 'Content-Type': 'application/json' },
  body: JSON.stringify({ url: 'https://example.com/hooks', events: ['job.failed'] }),
});
if (!response.ok) throw new Error(await response.text());
const { webhook_id, secret } = await response.json();
console.log(webhook_id, secret);
