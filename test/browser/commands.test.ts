import type { CDPSession } from 'puppeteer-core';
import { expect, test } from 'vitest';
import { dispose } from '../../functions/browser/isolate/isolates.ts';
import { deadlineIn, render } from '../../functions/browser/render.ts';
import { RenderRequest } from '../../shared/contract/messages.ts';
import { openTrail } from '../../shared/observe/trail.ts';
import { openBrowsers } from '../support/chromium.ts';
import { renderSite } from '../support/render-site.ts';

/** The same session, that notes the name of each message before it sends it. */
function noting(session: CDPSession, sent: string[]): CDPSession {
  const send: CDPSession['send'] = (method, ...rest) => {
    sent.push(method);
    return session.send(method, ...rest);
  };
  return new Proxy(session, {
    get(_, name) {
      const member: unknown = name === 'send' ? send : Reflect.get(session, name);
      return typeof member === 'function' ? (member.bind(session) as unknown) : member;
    },
  });
}

test('a page costs five messages to the browser, each a share of its time', async () => {
  await using site = await renderSite({ '/': '<p>plain<script src=/s.js></script>', '/s.js': '' });
  await using browser = await openBrowsers(site.host);
  const isolate = await browser.browsers.take();
  const sent: string[] = [];
  const { tab } = isolate.browser;
  const noted = { ...isolate.browser, tab: { ...tab, session: noting(tab.session, sent) } };
  const request = RenderRequest.parse({ requestId: 'test', url: `${site.origin}/`, timeoutMs: 10_000 });
  await render(request, noted, isolate.guard, deadlineIn(10_000), openTrail());
  await dispose(isolate);
  expect(sent).toEqual([
    'Page.navigate',
    'Fetch.continueResponse',
    'Page.createIsolatedWorld',
    'Runtime.evaluate',
    'Runtime.evaluate',
  ]);
});
