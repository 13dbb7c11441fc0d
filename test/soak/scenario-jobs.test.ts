import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ScenarioReport } from '../../shared/contract/scrape/js-scenario.ts';
import { allScenarios, routesOf } from '../fixtures/scenarios/all.ts';
import { clientOf } from '../support/stack/client.ts';
import { localStack } from '../support/stack/local-stack.ts';
import { assemblyOfStacks } from '../support/stack/shared-stack.ts';
import { newOrganization } from '../support/world/organization.ts';
import { renderSite } from '../support/servers/render-site.ts';
import { expectReport } from '../support/browser/scenarios.ts';

const ROUNDS = 100;
/** Of a batch, which has at most a thousand requests. */
const ROUNDS_OF_BATCH = 20;
const BATCHES = '/api/v1/scraper/batches';
const HOUR = 3_600_000;

const site = await renderSite(routesOf(allScenarios));
const stack = await localStack({ assembly: await assemblyOfStacks(), egressAllow: [site.host] });
const organization = { plan: 'business', overrides: { concurrency: 2 } } as const;
const client = clientOf(stack.baseUrl, (await newOrganization(stack.storage, organization)).api_key);
afterAll(() => Promise.all([stack, site].map((open) => open[Symbol.asyncDispose]())));

type Batch = { batch_id: string; status: string };
type Line = { custom_id: string; status: string; error_code?: string; body?: string };
type Envelope = { html: string; scenario: ScenarioReport };

/** Submits so many rounds of all scenarios at once, and returns the lines of their results. */
async function runRounds(rounds: number): Promise<Line[]> {
  const requests = Array.from({ length: rounds }, (_, round) =>
    allScenarios.map(({ path, instructions }, index) => ({
      url: site.origin + path,
      custom_id: `${index}.${round}`,
      js_scenario: { instructions },
    })),
  ).flat();
  const defaults = { format: 'json', formats: ['html'], timeout: 60_000 };
  const submitted = await client.post(BATCHES, { defaults, requests });
  expect(submitted.status).toBe(202);
  const { batch_id: id } = (await submitted.json()) as Batch;
  await vi.waitUntil(
    async () => {
      const batch = (await (await client.get(`${BATCHES}/${id}`)).json()) as Batch;
      return batch.status === 'completed';
    },
    { timeout: HOUR, interval: 2_000 },
  );
  return client.lines<Line>(`${BATCHES}/${id}/results?include=body`);
}

// With slots enough for sync calls and jobs at once.
const { client: roomy } = stack;

describe.concurrent('by a sync call and as a job, a scenario', () => {
  test.each(allScenarios)('$title', async ({ path, instructions, shows, statuses = [] }) => {
    const request = { url: site.origin + path, js_scenario: { instructions }, timeout: 60_000 };
    const [forEachConcurrently, id] = await Promise.all([roomy.scrape(request), roomy.submit(request)]);
    await roomy.settled(id);
    for (const response of [forEachConcurrently, await roomy.result(id)]) {
      const text = (await response.text()).replaceAll('\r\n', '\n');
      expect([response.status, response.headers.get('x-render-state')]).toEqual([200, 'complete']);
      expect(response.headers.get('x-scenario')).toContain('failed=0');
      expect(response.headers.get('x-scenario')).toContain(`skipped=${statuses.length}`);
      for (const shown of shows) expect(text).toContain(shown);
    }
  });
});

describe('with a CPU hog beside it', () => {
  let hog: Worker;
  beforeAll(() => {
    hog = new Worker('for (;;);', { eval: true });
  });
  afterAll(async () => {
    await hog.terminate();
  });

  test(`${ROUNDS} times in a row, every scenario as a job`, { timeout: HOUR }, async () => {
    for (let left = ROUNDS; left > 0; left -= ROUNDS_OF_BATCH) {
      const lines = await runRounds(ROUNDS_OF_BATCH);
      expect(lines).toHaveLength(ROUNDS_OF_BATCH * allScenarios.length);
      for (const { custom_id: name, status, error_code: code, body = '' } of lines) {
        const scenario = allScenarios[Number.parseInt(name, 10)];
        expect([scenario?.title, status, code]).toEqual([scenario?.title, 'completed', undefined]);
        const { html, scenario: report } = JSON.parse(body) as Envelope;
        if (scenario) expectReport(scenario, report, html);
      }
    }
  });
});
