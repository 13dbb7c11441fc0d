import { expect, test } from 'vitest';
import { openBrowsers } from '../support/chromium.ts';
import { html, renderSite, type Respond } from '../support/render-site.ts';

const LANES = 3;
const TIMEOUT_MS = 8_000;

/**
 * Busy from a little before `readAtMs` to a little after, and on its way elsewhere from somewhere in between, for as long
 * as the other place needs to answer. Its DOM changes all the while, so that it never rests.
 */
const attacker = (readAtMs: number, target: string) => `<h1>ATTACKER</h1><script>onload = () => {
  const start = performance.now(), leave = start + ${readAtMs} + 100 * Math.random(), stay = 20 + 60 * Math.random();
  setInterval(() => document.body.setAttribute('m', performance.now()), 30);
  setTimeout(() => {
    while (performance.now() < leave);
    location = '${target}';
    const end = performance.now() + stay;
    while (performance.now() < end);
  }, ${readAtMs - 70});
}</script>`;

const WAIT = { waitUntil: 'load', wait: 300 } as const;

test.each([
  ['a page of its own site, at the end of a wait', 100, 300, WAIT, '/victim', 200],
  ['a page of another site', 100, 300, WAIT, '//other/victim', 200],
  ['an error of another site', 100, 300, WAIT, '//other/victim', 500],
] as const)(
  'no page has itself delivered as %s, in %i runs',
  async (_, runs, readAtMs, wishes, place, status) => {
    const victim: Respond = (__, response) => html(response, '<h1>victim', status);
    await using other = await renderSite({ '/victim': victim });
    const target = place.replace('//other', `http://localhost:${other.port}`);
    await using site = await renderSite({ '/': attacker(readAtMs, target), '/victim': victim });
    const own = { url: `${site.origin}/`, status: 200, is: 'ATTACKER' };
    const moved = { url: new URL(target, site.origin).href, status, is: 'victim' };
    const delivered = { own: 0, moved: 0, late: 0 };
    let left: number = runs;

    async function lane() {
      await using browser = await openBrowsers(site.host, `localhost:${other.port}`);
      for (; left > 0;) {
        left -= 1;
        const { answer, html: text } = await browser.render(`${site.origin}/`, TIMEOUT_MS, wishes);
        if (answer.outcome === 'error') {
          // A clock that runs by tasks never comes to the end of a loop that waits for it.
          expect(answer.code).toBe('timeout');
          delivered.late += 1;
          continue;
        }
        const is = text.includes('ATTACKER') ? 'ATTACKER' : 'victim';
        expect({ ...answer, is }).toMatchObject(is === 'ATTACKER' ? own : moved);
        expect(text).toContain(`<h1>${is}`);
        delivered[is === 'ATTACKER' ? 'own' : 'moved'] += 1;
      }
    }
    await Promise.all(Array.from({ length: LANES }, lane));
    console.info(place, status, delivered);
    expect(delivered.own + delivered.moved + delivered.late).toBe(runs);
  },
);
