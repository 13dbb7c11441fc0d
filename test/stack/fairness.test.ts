import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOrganization } from '../../infra/admin/commands.ts';
import { connect } from '../../infra/admin/connect.ts';
import { type Client, clientOf } from '../support/client.ts';
import { localStack, type TestStack } from '../support/local-stack.ts';

const BURST = 1_000;
const SUBMITS_AT_ONCE = 40;

let stack: TestStack;
beforeAll(async () => {
  stack = await localStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

async function organization(overrides: object): Promise<Client> {
  const fx = await connect({ local: true, stage: 'dev', localDir: stack.localDir });
  const { api_key } = await createOrganization(fx, {
    name: 'Test',
    plan: 'business',
    overrides,
    mode: 'test',
  });
  return clientOf(stack.baseUrl, api_key);
}

test(
  'a burst of a thousand jobs of one organization hardly delays the job of another',
  { timeout: 240_000 },
  async () => {
    const [busy, calm] = await Promise.all([
      organization({ concurrency: 10 }),
      organization({ concurrency: 10 }),
    ]);
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
