import { afterAll, expect, inject, test, vi } from 'vitest';
import { eventReceiver } from '../support/servers/event-receiver.ts';
import { clientOf } from '../support/stack/client.ts';
import { sharedStack } from '../support/stack/shared-stack.ts';
import { newOrganization } from '../support/world/organization.ts';

const WEBHOOKS = '/api/v1/webhooks';
const SOON = { timeout: 20_000, interval: 100 };

const endpoint = { secret: '', webhook_id: '' };
const receiver = await eventReceiver(() => endpoint.secret, { port: inject('receiverPort') });
afterAll(() => receiver[Symbol.asyncDispose]());
const stack = await sharedStack();
const { demoSite: url } = stack;
// Other files run jobs of the stack's own organization meanwhile.
const client = clientOf(stack.baseUrl, (await newOrganization(stack.storage)).api_key);
const created = await client.post(WEBHOOKS, { url: receiver.url, events: ['job.completed', 'job.failed'] });
Object.assign(endpoint, await created.json());

test('a job, a failed one and a test event arrive signed, as the independent library verifies', async () => {
  const ids = [
    await client.submit({ url }),
    await client.submit({ url: `${url}/`, webhook: endpoint.webhook_id }),
  ];
  await client.post(`${WEBHOOKS}/${endpoint.webhook_id}/test`, {});
  const slow = await client.submit({ url: `${url}/slow?ms=60000` });
  await client.post(`/api/v1/scraper/jobs/${slow}/cancel`, {});
  await vi.waitUntil(() => receiver.events.length === 4, SOON);
  const told = receiver.events.map(({ type, data }) => `${type} ${String(data['job_id'])}`);
  expect(told.sort()).toEqual(
    [...ids.map((id) => `job.completed ${id}`), `job.failed ${slow}`, 'webhook.test undefined'].sort(),
  );
  expect(receiver.refused).toEqual([]);
});

test('a receiver that fails gets the event again seconds later, under the same id', async () => {
  receiver.events.length = 0;
  receiver.respondWith(500);
  const id = await client.submit({ url });
  const deliveries = async () => {
    const response = await client.get(`${WEBHOOKS}/${endpoint.webhook_id}/deliveries`);
    const { data } = (await response.json()) as {
      data: { delivery_id: string; subject: string; status: string; attempts: unknown[] }[];
    };
    return data.find(({ subject }) => subject === id);
  };
  await vi.waitUntil(async () => (await deliveries())?.attempts.length === 1, SOON);
  expect(await deliveries()).toMatchObject({ status: 'pending', attempts: [{ status: 500 }] });
  receiver.respondWith(200);
  await vi.waitUntil(async () => (await deliveries())?.status === 'delivered', SOON);
  expect(receiver.events.map(({ id }) => id)).toEqual([(await deliveries())?.delivery_id]);
});
