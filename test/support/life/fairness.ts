import { expect } from 'vitest';
import { type Client, clientOf } from '../stack/client.ts';
import type { SharedStack } from '../stack/shared-stack.ts';
import { newOrganization } from '../world/organization.ts';

const SUBMITS_AT_ONCE = 40;
const CONCURRENCY = 10;
/** The time that the whole burst takes: a job behind it would be late. */
const BURST_MS = 20_000;

/** Submits many slow jobs of one organization, and asserts that another's job starts within seconds. */
export async function burstDelaysNobody(stack: SharedStack, burst: number): Promise<void> {
  const organization = async (): Promise<Client> => {
    const wanted = { plan: 'business', overrides: { concurrency: CONCURRENCY } } as const;
    return clientOf(stack.baseUrl, (await newOrganization(stack.storage, wanted)).api_key);
  };
  const [busy, calm] = await Promise.all([organization(), organization()]);
  const url = `${stack.demoSite}/slow?ms=${(BURST_MS * CONCURRENCY) / burst}`;
  for (let sent = 0; sent < burst; sent += SUBMITS_AT_ONCE) {
    await Promise.all(Array.from({ length: SUBMITS_AT_ONCE }, () => busy.submit({ url })));
  }
  const { job } = await calm.settled(await calm.submit({ url: stack.demoSite }));
  const waitedMs = Date.parse(job.started_at ?? '') - Date.parse(job.created_at);
  expect(job.status).toBe('completed');
  expect(waitedMs).toBeLessThan(BURST_MS / 2);
}
