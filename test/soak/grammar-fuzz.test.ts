import { expect, test } from 'vitest';
import { clientOf } from '../support/stack/client.ts';
import { grammarFuzz } from '../support/life/grammar-fuzz.ts';
import { newOrganization } from '../support/world/organization.ts';
import { sharedStack } from '../support/stack/shared-stack.ts';

const CALLS = 20_000;
const CONCURRENCY = 8;
const PLENTY = 10_000_000;
const { baseUrl, demoSite, storage } = await sharedStack();

test(`${CALLS} random calls are answered as documented behind the gateway, and no refusal is charged`, async () => {
  const overrides = { rpm: PLENTY, readsPerMinute: PLENTY, concurrency: 1_000, credits: PLENTY };
  const { api_key: key } = await newOrganization(storage, { overrides });
  const client = clientOf(baseUrl, key);
  const urls = ['/', '/status/404', '/status/503', '/redirect', '/file.pdf'].map((path) => demoSite + path);
  const jobs = [await client.submit({ url: demoSite }), await client.submit({ url: 'http://127.0.0.1:1/' })];
  const batch = await client.post('/api/v1/scraper/batches', { requests: urls.map((url) => ({ url })) });
  const { batch_id: batchId } = (await batch.json()) as { batch_id: string };
  await client.settled(jobs[0] ?? '');
  const hook = await client.post('/api/v1/webhooks', { url: 'https://hooks.example.com/' });
  const { webhook_id: webhook } = (await hook.json()) as { webhook_id: string };
  const ids = {
    job_id: jobs,
    batch_id: [batchId],
    webhook_id: [webhook, 'default'],
    file: ['docs.css', 'index.html'],
    code: ['timeout', 'internal'],
  };
  const { wrong, credits } = await grammarFuzz({
    ...{
      seed: 20_261_126,
      calls: CALLS,
      forEachConcurrently: CONCURRENCY,
      isBehindGateway: true,
      known: { key, urls, ids },
    },
    send: async ({ path, method, headers, body }) => {
      const sent = method === 'GET' || method === 'HEAD' || body === undefined ? {} : { body };
      const reply = await fetch(baseUrl + path, { method, headers, redirect: 'manual', ...sent });
      return { status: reply.status, headers: reply.headers, text: await reply.text() };
    },
  });
  expect(wrong).toEqual([]);
  const account = (await (await client.get('/api/v1/account')).json()) as { credits: { used: number } };
  // Jobs are charged when they have run, which their submits do not say.
  expect(account.credits.used).toBeGreaterThanOrEqual(credits);
}, 3_600_000);
