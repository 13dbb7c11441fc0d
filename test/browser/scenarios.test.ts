import { afterAll, expect, inject, test } from 'vitest';
import type { JsScenario } from '../../shared/contract/scrape/js-scenario.ts';
import { browserPool } from '../support/browser/browser-pool.ts';
import { renderSite } from '../support/servers/render-site.ts';
import { allScenarios, routesOf } from '../fixtures/scenarios/all.ts';
import { expectDone } from '../support/browser/scenarios.ts';

const site = await renderSite(routesOf(allScenarios));
/** Another site on the same machine. */
const elsewhere = `localhost:${site.port}`;
const browsers = await browserPool(2, [site.host, elsewhere]);
afterAll(() => Promise.all([browsers, site].map((open) => open[Symbol.asyncDispose]())));

test.each(allScenarios)('a scenario: $title', async (scenario) => {
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
