import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { expect, test, vi } from 'vitest';
import { clientOf } from '../support/stack/client.ts';
import { localStack } from '../support/stack/local-stack.ts';
import { assemblyOfStacks } from '../support/stack/shared-stack.ts';
import { newOrganization } from '../support/world/organization.ts';

const overrides = { concurrency: 2 };
/** As many as its concurrent scrapes, and five more. */
const PLACES = 7;
const READERS = 12;

/** Requests a path and reads nothing of the response body. */
async function readNothing(url: string, key: string, headers = {}): Promise<IncomingMessage> {
  const asking = request(url, { headers: { Authorization: `Bearer ${key}`, ...headers } }).end();
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  return response.on('error', () => undefined);
}

test('stalled readers occupy no more functions than their organization has reader slots', async () => {
  await using stack = await localStack({ assembly: await assemblyOfStacks() });
  const { api_key: free } = await newOrganization(stack.storage, { overrides });
  const client = clientOf(stack.baseUrl, free);
  const id = await client.submit({ url: `${stack.demoSite}/big?mb=20` });
  await client.settled(id);

  const result = `${stack.baseUrl}/api/v1/scraper/jobs/${id}/result`;
  const readers: IncomingMessage[] = [];
  while (readers.length < READERS) readers.push(await readNothing(result, free));
  const statuses = readers.map(({ statusCode }) => statusCode);
  expect(statuses.filter((status) => status === 200)).toHaveLength(PLACES);
  expect(statuses.filter((status) => status === 429)).toHaveLength(READERS - PLACES);

  // More concurrent requests than one function could serve if all others were occupied.
  const others = await Promise.all(
    Array.from({ length: 8 }, () => stack.client.get(`/api/v1/scraper/jobs/${id}`)),
  );
  expect(others.map(({ status }) => status)).toEqual(others.map(() => 404));

  const link = await fetch(result, {
    headers: { Authorization: `Bearer ${free}`, Prefer: 'respond-redirect' },
    redirect: 'manual',
  });
  expect(link.status).toBe(303);
  const page = await fetch(link.headers.get('location') ?? '');
  expect((await page.arrayBuffer()).byteLength).toBeGreaterThanOrEqual(20_000_000);

  for (const reader of readers) reader.destroy();
  await vi.waitUntil(async () => (await client.result(id)).status === 200, {
    timeout: 60_000,
    interval: 100,
  });
});
