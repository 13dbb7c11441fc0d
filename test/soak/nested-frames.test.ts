import { expect, test } from 'vitest';
import { openBrowsers } from '../support/browser/chromium.ts';
import { html, renderSite } from '../support/servers/render-site.ts';

// Hundreds of frames take ten seconds of CPU: npm test counts them in test/unit/watch-growth.test.ts.
test('endlessly nested frames make the page partial', async () => {
  let count = 0;
  const frames = () => Array.from({ length: 20 }, () => `<iframe src=/f?${(count += 1)}></iframe>`).join('');
  await using site = await renderSite({
    '/': (_, response) => html(response, `<p>bomb${frames()}`),
    '/f': (_, response) => html(response, frames()),
  });
  await using browser = await openBrowsers(site.host);
  const { answer, ms } = await browser.render(`${site.origin}/`, 20_000);
  expect(answer).toMatchObject({ outcome: 'page', renderState: 'partial' });
  // Chromium's own limit is a thousand.
  expect(site.asked.length).toBeLessThan(700);
  expect(ms).toBeLessThan(25_000);
});
