import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Job, Sitefetch } from '../../clients/typescript/src/sitefetch.ts';
import { sharedStack } from '../support/stack/shared-stack.ts';
import { newOrganization } from '../support/world/organization.ts';

const CALLS = 1_000;
const AT_ONCE = 8;
/** Some die before their page has come, some do not. */
const LONGEST_LIFE_MS = 2_000;
/** Calls of the dead keep their places until they end. */
const REFUSED = 429;
const PAUSE_MS = 200;
/** The sweeper ends what a dead process has begun. */
const SWEPT_MS = 10 * 60_000;

const stack = await sharedStack();

function died(error: unknown): void {
  if (!(error instanceof Error && error.name === 'TimeoutError')) throw error;
}

test('agents that die within their calls leave nothing behind, and no page is charged twice', async () => {
  const { api_key: apiKey, org_id: orgId } = await newOrganization(stack.storage, { plan: 'business' });
  const client = new Sitefetch({ apiKey, baseUrl: stack.baseUrl });
  let [next, survivors] = [0, 0];

  async function scrape(number: number): Promise<void> {
    const params = { name: 'scrape', arguments: { url: `${stack.demoSite}/?call=${number}` } };
    const response = await fetch(`${stack.baseUrl}/mcp`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${apiKey}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: number, method: 'tools/call', params }),
      signal: AbortSignal.timeout(Math.ceil(LONGEST_LIFE_MS * Math.random())),
    });
    if (response.status === REFUSED) {
      await setTimeout(PAUSE_MS);
      return scrape(number);
    }
    if ((await response.text()).includes('# Demo site')) survivors += 1;
  }
  async function agents(): Promise<void> {
    for (let number = next++; number < CALLS; number = next++) await scrape(number).catch(died);
  }
  await Promise.all(Array.from({ length: AT_ONCE }, agents));

  const left = async () => {
    const organization = await stack.storage.organizations.find(orgId);
    if (organization === undefined) throw new Error('The organization is gone.');
    const { credits, slots } = await stack.storage.usage.read(organization, new Date());
    const jobs: Job[] = [];
    for await (const job of client.jobs.list({ limit: 100 })) jobs.push(job);
    const urls = jobs.map(({ url }) => url);
    return {
      open: jobs.filter(({ status }) => status !== 'completed').map(({ job_id }) => job_id),
      slots: Object.keys(slots.inUse),
      // A place that has expired is no longer counted.
      places: Object.values(slots.readers).filter((until) => until > Date.now()).length,
      repeated: urls.length - new Set(urls).size,
      unpaid: jobs.length - credits.used,
      isEnough: jobs.length >= survivors,
    };
  };
  const nothing = { open: [], slots: [], places: 0, repeated: 0, unpaid: 0, isEnough: true };
  await expect.poll(left, { timeout: SWEPT_MS, interval: 5_000 }).toEqual(nothing);
  expect(survivors).toBeGreaterThan(0);
  expect(survivors).toBeLessThan(CALLS);
});
