import { expect, test } from 'vitest';
import { type Client, clientOf } from '../support/client.ts';
import { sharedStack } from '../support/local-stack.ts';
import { newOrganization } from '../support/organization.ts';

const BURST = 1_000;
const SUBMITS_AT_ONCE = 40;

const stack = await sharedStack();

async function organization(): Promise<Client> {
  const wanted = { plan: 'business', overrides: { concurrency: 10 } } as const;
  return clientOf(stack.baseUrl, (await newOrganization(stack.storage, wanted)).api_key);
}

test(
  'a burst of a thousand jobs of one organization hardly delays the job of another',
  { timeout: 240_000 },
  async () => {
    const [busy, calm] = await Promise.all([organization(), organization()]);
    const url = `${stack.demoSite}/slow?ms=200`;
    for (let sent = 0; sent < BURST; sent += SUBMITS_AT_ONCE) {
      await Promise.all(Array.from({ length: SUBMITS_AT_ONCE }, () => busy.submit({ url })));
    }
    const id = await calm.submit({ url: stack.demoSite });
    const { job } = await calm.settled(id);
    const waitedMs = Date.parse(job.started_at ?? '') - Date.parse(job.created_at);
    expect(job.status).toBe('completed');
    expect(waitedMs).toBeLessThan(5_000);
  },
);
