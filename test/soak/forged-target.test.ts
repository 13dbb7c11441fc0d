import { expect, test } from 'vitest';
import { openBrowsers } from '../support/browser/chromium.ts';
import { html, renderSite, type Respond } from '../support/servers/render-site.ts';

const LANES = 3;
const TIMEOUT_MS = 15_000;
/** An estimate for one core. */
const SINES_PER_MS = 50_000;

/** Navigates around its reading, and counts while busy, because the clock stands still under `settled`. */
const attacker = ([from, to]: Range, target: string) => `<h1>ATTACKER</h1><script>
  let sum = 0;
  const work = (ms) => { for (let left = ms * ${SINES_PER_MS}; left > 0; left--) sum += Math.sin(left); };
  onload = () => {
    setInterval(() => document.body.setAttribute('m', performance.now()), 30);
    setTimeout(() => {
      work(100 * Math.random());
      location = '${target}';
      work(20 + 60 * Math.random());
    }, ${from} + ${to - from} * Math.random());
  };
</script>`;

const WAIT = { waitUntil: 'load', wait: 300 } as const;
/** The range in which the page is read, in milliseconds after its load event by its own clock. */
type Range = readonly [from: number, to: number];
const WAITED: Range = [230, 450];
const SETTLED: Range = [5_000, 25_000];

test.each([
  ['a page of its own site after a wait', 75, WAITED, WAIT, '/victim', 200],
  ['a page of another site', 75, WAITED, WAIT, '//other/victim', 200],
  ['an error of another site', 75, WAITED, WAIT, '//other/victim', 500],
  ['a page of another site while it settles', 75, SETTLED, {}, '//other/victim', 200],
] as const)('no page can pass itself off as %s in %i runs', async (_, runs, range, wishes, place, status) => {
  const victim: Respond = (__, response) => html(response, '<h1>victim', status);
  await using other = await renderSite({ '/victim': victim });
  const target = place.replace('//other', `http://localhost:${other.port}`);
  await using site = await renderSite({ '/': attacker(range, target), '/victim': victim });
  const own = { url: `${site.origin}/`, status: 200, is: 'ATTACKER' };
  const moved = { url: new URL(target, site.origin).href, status, is: 'victim' };
  const delivered = { own: 0, moved: 0 };
  let left: number = runs;

  async function lane() {
    await using browser = await openBrowsers(site.host, `localhost:${other.port}`);
    for (; left > 0;) {
      left -= 1;
      const { answer, html: text } = await browser.render(`${site.origin}/`, TIMEOUT_MS, wishes);
      const is = text.includes('ATTACKER') ? 'ATTACKER' : 'victim';
      expect({ ...answer, is }).toMatchObject(is === 'ATTACKER' ? own : moved);
      expect(text).toContain(`<h1>${is}`);
      delivered[is === 'ATTACKER' ? 'own' : 'moved'] += 1;
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane));
  console.info(place, status, delivered);
  expect(delivered.own + delivered.moved).toBe(runs);
  // Both early and late navigations happened, so the critical moment lies in between.
  expect(Math.min(delivered.own, delivered.moved)).toBeGreaterThan(0);
});
