import { expect, test } from 'vitest';
import { renderTime } from '../../functions/browser/render-time.ts';
import { render } from '../../functions/browser/render.ts';
import { discard, isolates } from '../../functions/browser/launch/isolates.ts';
import { unpackChromium } from '../../infra/constructs/unpack-chromium.ts';
import { RenderRequest } from '../../shared/contract/scrape/messages.ts';
import { openRequestLog } from '../../shared/observe/request-log.ts';
import { chromiumProcesses } from '../support/browser/chromium.ts';
import { renderSite } from '../support/servers/render-site.ts';

/** A page that uses every feature for which Chromium may start a process, and reports when all have run. */
const page = (other: string) => `<p>page</p>
<iframe src="${other}/frame"></iframe><iframe sandbox=allow-scripts src="${other}/frame"></iframe>
<script>
const script = (code) => URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
const answers = [
  new Promise((resolve) => { new Worker(script('postMessage(1)')).onmessage = resolve; }),
  new Promise((resolve) => { const { port } = new SharedWorker('/shared.js'); port.onmessage = resolve; }),
  navigator.serviceWorker.register('/service.js').then(() => navigator.serviceWorker.ready),
  new Promise((resolve) => { let frames = 0; onmessage = () => { if (++frames === 2) resolve(); }; }),
  new OfflineAudioContext(1, 100, 44100).startRendering(),
];
open('${other}/popup'); window.open('/popup', '_blank', 'popup');
Promise.all(answers).then(() => { document.querySelector('p').textContent = 'all there'; });
</script>`;

test('with one process, no page can start a second process of Chromium', async () => {
  const script = { 'Content-Type': 'text/javascript' };
  await using other = await renderSite({
    '/frame': '<script>parent.postMessage(1, "*")</script>',
    '/popup': '<p>popup',
  });
  await using site = await renderSite({
    '/shared.js': (_, response) =>
      response.writeHead(200, script).end('onconnect = ({ ports: [port] }) => port.postMessage(1)'),
    '/service.js': (_, response) => response.writeHead(200, script).end('onfetch = () => 0'),
    '/popup': '<p>popup',
    '/': page(other.origin.replace('127.0.0.1', 'localhost')),
  });
  const policy = { allow: [site.host, other.host, other.host.replace('127.0.0.1', 'localhost')] };
  await using browsers = isolates({ chromiumDir: await unpackChromium(), policy, processes: 'one' });
  const { browser, guard } = await browsers.take();
  const request = RenderRequest.parse({
    requestId: 'test',
    url: `${site.origin}/`,
    timeoutMs: 20_000,
    waitUntil: 'load',
    wait: 2_000,
  });
  let most = 0;
  const over = new AbortController();
  const rendered = render(request, browser, guard, renderTime(20_000), openRequestLog()).finally(() =>
    over.abort(),
  );
  while (!over.signal.aborted) most = Math.max(most, (await chromiumProcesses()).length);
  const { body } = await rendered;
  await discard({ browser, guard });
  expect(Buffer.from(body).toString()).toContain('<p>all there');
  expect(most).toBe(1);
});
