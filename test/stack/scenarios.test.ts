import { expect, test } from 'vitest';
import { sharedStack } from '../support/stack/shared-stack.ts';

const { client, demoSite } = await sharedStack();
const url = `${demoSite}/login`;

test('a scenario logs in by a sync call and as a job, and shows a picture of each step', async () => {
  const instructions = [
    { fill: ['#name', 'Ada'] },
    { screenshot: { name: 'filled', type: 'jpeg' } },
    { click: 'button' },
  ];
  const request = { url, format: 'json', formats: ['text'], js_scenario: { instructions } };
  const [forEachConcurrently, id] = await Promise.all([client.scrape(request), client.submit(request)]);
  await client.settled(id);
  for (const response of [forEachConcurrently, await client.result(id)]) {
    expect([response.status, response.headers.get('x-scenario')]).toEqual([
      200,
      'steps=3; ok=3; skipped=0; failed=0',
    ]);
    expect(await response.json()).toMatchObject({
      text: 'Hello Ada\n',
      scenario: { ok: true, steps: [{}, { screenshot: { name: 'filled', type: 'jpeg' } }, {}] },
    });
  }
});

test('a scenario that fails reports its steps, at once and as the result of a job', async () => {
  const instructions = [{ wait: 1 }, { click: { selector: '#none', timeout: 200 } }];
  const request = { url, js_scenario: { instructions } };
  const [forEachConcurrently, id] = await Promise.all([client.scrape(request), client.submit(request)]);
  expect((await client.settled(id)).job).toMatchObject({ status: 'failed', attempts: 1, credits_used: 0 });
  for (const response of [forEachConcurrently, await client.result(id)]) {
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      code: 'scenario_failed',
      scenario: { ok: false, steps: [{ status: 'ok' }, { status: 'failed' }] },
    });
  }
});
