import { expect, test } from 'vitest';
import { openBrowsers } from '../support/chromium.ts';
import { html, renderSite } from '../support/render-site.ts';

test('a page without scripts comes back as it is', async () => {
  await using site = await renderSite({ '/': '<title>t</title><p>héllo' });
  await using browser = await openBrowsers(site.host);
  for (let i = 0; i < 6; i++) {
    const r = await browser.render(`${site.origin}/`);
    console.log(r.ms, JSON.stringify(r.answer), r.html);
  }
});
