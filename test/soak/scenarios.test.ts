import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allScenarios, routesOf } from '../fixtures/scenarios/all.ts';
import { unsteady } from '../fixtures/scenarios/widgets.ts';
import { browserPool } from '../support/browser/browser-pool.ts';
import { renderSite } from '../support/servers/render-site.ts';
import { expectDone } from '../support/browser/scenarios.ts';

const ROUNDS = 100;
const OPENINGS = 1_000;

const site = await renderSite(routesOf(allScenarios));
const browsers = await browserPool(2, [site.host]);
afterAll(() => Promise.all([browsers, site].map((open) => open[Symbol.asyncDispose]())));

async function repeat(times: number, scenario: (typeof allScenarios)[number]): Promise<void> {
  const { path, instructions } = scenario;
  let left = times;
  const runner = async () => {
    for (; left > 0;) {
      left -= 1;
      const { answer, html } = await browsers.render(`${site.origin}${path}`, 60_000, {
        jsScenario: { instructions },
      });
      expectDone(scenario, answer, html);
    }
  };
  await Promise.all([runner(), runner()]);
}

describe(`${ROUNDS} times in a row, with a CPU hog beside it, a scenario`, () => {
  let hog: Worker;
  beforeAll(() => {
    hog = new Worker('for (;;);', { eval: true });
  });
  afterAll(async () => {
    await hog.terminate();
  });

  test.each(allScenarios)('$title', (scenario) => repeat(ROUNDS, scenario));
});

test(`a dropdown that opens late is chosen from ${OPENINGS} times`, async () => {
  const [dropdown] = unsteady;
  expect(dropdown).toBeDefined();
  if (dropdown) await repeat(OPENINGS, dropdown);
});
