import type { CDPSession } from 'puppeteer-core';
import { expect, test } from 'vitest';
import { dispose } from '../../functions/browser/launch/isolates.ts';
import { renderTime } from '../../functions/browser/render-time.ts';
import { render } from '../../functions/browser/render.ts';
import { RenderRequest } from '../../shared/contract/scrape/messages.ts';
import { openRequestLog } from '../../shared/observe/request-log.ts';
import { openBrowsers } from '../support/browser/chromium.ts';
import { renderSite } from '../support/servers/render-site.ts';

/** The same session, but recording the name of each message that it sends. */
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

/** The messages that a page costs. */
async function messagesFor(page: string): Promise<string[]> {
  await using site = await renderSite({ '/': page, '/s.js': '' });
  await using browser = await openBrowsers(site.host);
  const isolate = await browser.browsers.take();
  const sent: string[] = [];
  const { tab } = isolate.browser;
  const noted = { ...isolate.browser, tab: { ...tab, session: noting(tab.session, sent) } };
  const request = RenderRequest.parse({ requestId: 'test', url: `${site.origin}/`, timeoutMs: 10_000 });
  await render(request, noted, isolate.guard, renderTime(10_000), openRequestLog());
  await dispose(isolate);
  return sent;
}

const FRAME = 'HeadlessExperimental.beginFrame';

test('a page without scripts costs five messages to the browser besides its frames', async () => {
  const sent = await messagesFor('<p>plain');
  expect(sent.filter((name) => name !== FRAME)).toEqual([
    'Page.navigate',
    'Fetch.continueResponse',
    'Page.createIsolatedWorld',
    'Runtime.evaluate',
    'Runtime.evaluate',
  ]);
});

test('a page with an idle script costs at most 30 messages to advance its clock', async () => {
  const sent = await messagesFor('<p>plain<script src=/s.js></script>');
  const clock = sent.filter((name) => /^(Emulation|Performance)\./.test(name));
  expect(clock.length).toBeGreaterThan(0);
  expect(clock.length).toBeLessThanOrEqual(30);
});
