import { afterAll, expect, inject, test } from 'vitest';
import type { JsScenario } from '../../shared/contract/scrape/js-scenario.ts';
import { browserPool } from '../support/browser/browser-pool.ts';
import { renderSite } from '../support/servers/render-site.ts';
import { allScenarios, routesOf } from '../fixtures/scenarios/all.ts';
import { expectDone } from '../support/browser/scenarios.ts';
import { extent } from '../support/world/extent.ts';

const site = await renderSite(routesOf(allScenarios));
/** Another site on the same machine. */
const elsewhere = `localhost:${site.port}`;
const browsers = await browserPool(2, [site.host, elsewhere]);
afterAll(() => Promise.all([browsers, site].map((open) => open[Symbol.asyncDispose]())));

/** Similar to others. */
const REPEATS = [
  'goes through a checkout of three steps',
  'chooses in a select that another select loads',
  'takes a suggestion of an autocomplete field',
  'accepts a consent that only some visitors are shown',
  'walks through the pages of a list',
  'follows a route that a script changes without a document',
  'scrolls through an endless list of 500 items',
  'opens a dropdown that opens late',
  'waits until an element is no longer covered',
  'clicks an element that is replaced again and again',
];
const taken = extent(
  allScenarios.filter(({ title }) => !REPEATS.includes(title)),
  allScenarios,
);

test.each(taken)('a scenario: $title', async (scenario) => {
  const { path, instructions } = scenario;
  const { answer, html } = await browsers.render(`${site.origin}${path}`, 20_000, {
    jsScenario: { instructions },
  });
  expectDone(scenario, answer, html);
});

test.skipIf(inject('processes') === 'many')(
  'a scenario fills and sends a form in a frame of another site',
  async () => {
    await using shop = await renderSite({
      '/': `<p id="out"></p><iframe id="pay" src="http://${elsewhere}/inner" style="margin: 30px"></iframe><script>onmessage = (event) => { out.textContent = event.data }</script>`,
    });
    await using browser = await browserPool(1, [shop.host, site.host, elsewhere]);
    const instructions: JsScenario['instructions'] = [
      { fill: ['#pay >> #in', '4711'] },
      { click: '#pay >> text=Send' },
      { wait_for_text: 'frame 4711' },
    ];
    const { answer, html } = await browser.render(shop.origin, 20_000, { jsScenario: { instructions } });
    expect(answer).toMatchObject({ outcome: 'page', report: { ok: true } });
    expect(html).toContain('frame 4711');
  },
);
