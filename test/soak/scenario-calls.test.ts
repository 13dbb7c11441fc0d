import { afterAll, describe, expect, test } from 'vitest';
import { allScenarios, routesOf } from '../fixtures/scenarios/all.ts';
import { localStack } from '../support/local-stack.ts';
import { renderSite } from '../support/render-site.ts';

const site = await renderSite(routesOf(allScenarios));
const stack = await localStack({ egressAllow: [site.host] });
afterAll(() => Promise.all([stack, site].map((open) => open[Symbol.asyncDispose]())));
const { client } = stack;

describe.concurrent('by a sync call and as a job, a scenario', () => {
  test.each(allScenarios)('$title', async ({ path, instructions, shows, statuses = [] }) => {
    const request = { url: site.origin + path, js_scenario: { instructions }, timeout: 60_000 };
    const [atOnce, id] = await Promise.all([client.scrape(request), client.submit(request)]);
    await client.settled(id);
    for (const response of [atOnce, await client.result(id)]) {
      const text = (await response.text()).replaceAll('\r\n', '\n');
      expect([response.status, response.headers.get('x-render-state')]).toEqual([200, 'complete']);
      expect(response.headers.get('x-scenario')).toContain('failed=0');
      expect(response.headers.get('x-scenario')).toContain(`skipped=${statuses.length}`);
      for (const shown of shows) expect(text).toContain(shown);
    }
  });
});
