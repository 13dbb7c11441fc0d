import { expect, test, vi } from 'vitest';
import { dispose } from '../../functions/browser/keep-warm.ts';
import { deadlineIn, render } from '../../functions/browser/render.ts';
import { RenderRequest } from '../../shared/contract/messages.ts';
import { openTrail } from '../../shared/observe/trail.ts';
import { openBrowsers } from '../support/chromium.ts';
import { renderSite } from '../support/render-site.ts';

test('a page costs five messages to the browser, each a share of its time', async () => {
  await using site = await renderSite({ '/': '<p>plain<script src=/s.js></script>', '/s.js': '' });
  await using browser = await openBrowsers(site.host);
  const isolate = await browser.browsers.take();
  const sent = vi.spyOn(isolate.browser.tab.session, 'send');
  const request = RenderRequest.parse({ requestId: 'test', url: `${site.origin}/`, timeoutMs: 10_000 });
  await render(request, isolate.browser, isolate.guard, deadlineIn(10_000), openTrail());
  await dispose(isolate);
  expect(sent.mock.calls.map(([method]) => method)).toEqual([
    'Page.navigate',
    'Fetch.continueResponse',
    'Page.createIsolatedWorld',
    'Runtime.evaluate',
    'Runtime.evaluate',
  ]);
});
