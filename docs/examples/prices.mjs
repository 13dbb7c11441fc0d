import { setTimeout } from 'node:timers/promises';

const [shelf, { SITEFETCH_URL, SITEFETCH_KEY }] = [process.argv[2], process.env];
const headers = { Authorization: `Bearer ${SITEFETCH_KEY}`, 'Content-Type': 'application/json' };
async function call(path, body) {
  const options = { method: body ? 'POST' : 'GET', headers, body: JSON.stringify(body) };
  const response = await fetch(`${SITEFETCH_URL}/api/v1/scraper${path}`, options);
  if (!response.ok) throw new Error(`${response.status}: ${(await response.json()).message}`);
  return response;
}

const links = await (await call('', { url: shelf, format: 'links' })).json();
const pages = links.map(({ url }) => url).filter((url) => url.startsWith(shelf) && url !== shelf);
const rules = { name: 'h1', price: '.price' };
const defaults = { format: 'extract', extract_rules: rules, retry_on: [429, 503] };
const batch = { requests: pages.map((url) => ({ url })), defaults, tags: ['prices'], max_credits: 60 };
let state = await (await call('/batches', batch)).json();
while (!state.completed_at) {
  await setTimeout(2_000);
  state = await (await call(`/batches/${state.batch_id}`)).json();
}
const results = await (await call(`/batches/${state.batch_id}/results?include=body`)).text();
for (const line of results.trim().split('\n')) {
  const { url, body = '{}', error_code: error = '' } = JSON.parse(line);
  const { name, price } = JSON.parse(body);
  console.log(url, name, price, error);
}
console.log(`${state.credits_used} credits, ${state.counts.failed} failed`);
