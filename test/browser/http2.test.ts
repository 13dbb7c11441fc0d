import { expect, inject, test } from 'vitest';
import { isolates } from '../../functions/browser/launch/isolates.ts';
import { answerTo } from '../support/browser/chromium.ts';
import { http2Server } from '../support/servers/target-server.ts';
import { trustingChromium } from '../support/browser/trusting-chromium.ts';

const PAGE = '<p>nothing<script src=/script></script>';
const SCRIPT = `const loads = ['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type));
  document.querySelector('p').textContent = loads.map(({ nextHopProtocol }) => nextHopProtocol).join();`;

test('a page and its subresources are loaded over HTTP/2 through the guard', async () => {
  await using server = await http2Server((stream, headers) => {
    const isPage = headers[headers.indexOf(':path') + 1] === '/';
    stream.respond({ 'content-type': isPage ? 'text/html' : 'text/javascript' });
    // The script reads its own protocol after loading.
    stream.end(isPage ? PAGE : `addEventListener('load', () => { ${SCRIPT} })`);
  });
  await using chromium = await trustingChromium();
  await using browsers = isolates({
    chromiumDir: chromium.folder,
    policy: { allow: [server.host] },
    processes: inject('processes'),
  });
  const request = { requestId: 'r', url: `${server.origin}/`, timeoutMs: 20_000 };
  const { answer, html } = await answerTo(browsers, request);
  expect(answer).toMatchObject({ outcome: 'page', status: 200 });
  expect(html).toContain('<p>h2,h2');
});
