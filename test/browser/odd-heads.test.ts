import { afterAll, beforeAll, expect, test } from 'vitest';
import { REFUSED_HEADS, SHOWN_HEADS, UNUSABLE_STATUSES } from '../fixtures/odd-heads.ts';
import { openBrowsers } from '../support/browser/chromium.ts';
import { rawChromium } from '../support/browser/raw-chromium.ts';
import { rawServer } from '../support/servers/target-server.ts';

const ALL = Object.entries({ ...SHOWN_HEADS, ...REFUSED_HEADS, ...UNUSABLE_STATUSES });

/** Says of each response what the browser that shows it got. */
const PAGE = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<ol></ol><script>(async () => {
  for (let at = 0; at < ${ALL.length}; at += 1) {
    const got = await fetch('/' + at).then(async (response) => response.status + ' ' + await response.text()).catch(() => '');
    const [status] = /^\\d+ (?=.*hello body)/s.exec(got) ?? ['refused'];
    document.querySelector('ol').append(Object.assign(document.createElement('li'), { textContent: status }));
  }
  document.body.append('done');
})()</script>`;

let site: Awaited<ReturnType<typeof rawServer>>;
beforeAll(async () => {
  site = await rawServer((socket) =>
    socket.once('data', (request: Buffer) => {
      const [, path = ''] = /^\S+ \/(\S*)/.exec(request.toString()) ?? [];
      socket.end(ALL[path === '' ? -1 : Number(path)]?.[1] ?? PAGE);
    }),
  );
});
afterAll(() => site[Symbol.asyncDispose]());

const outcomes = (html: string): Record<string, string> => {
  const items = [...html.matchAll(/<li>(.*?)<\/li>/g)];
  return Object.fromEntries(items.map(([, got = ''], at) => [ALL[at]?.[0] ?? '', got.trim()]));
};
const all = (heads: object, got: string): Record<string, string> =>
  Object.fromEntries(Object.keys(heads).map((title) => [title, got]));
const SEEN = { ...all(SHOWN_HEADS, '200'), ...all(REFUSED_HEADS, 'refused') };

test('rendered pages get the responses with odd heads that Chromium takes without the guard, and no others', async () => {
  await using raw = await rawChromium();
  const statuses = { 'a status of two digits': '20', 'a status of four digits': '2000' };
  const direct = outcomes(await raw.read(site.origin, (html) => html.includes('</script>done'), 20_000));
  expect(direct).toEqual({ ...SEEN, ...statuses, 'a status below 100': '99' });

  await using browser = await openBrowsers(site.host);
  const { html } = await browser.render(`${site.origin}/`);
  expect(outcomes(html)).toEqual({ ...SEEN, ...all(UNUSABLE_STATUSES, 'refused') });
});

test('a rendered page behind an odd head is a page', async () => {
  await using browser = await openBrowsers(site.host);
  const at = ALL.findIndex(([title]) => title === "a script's warning in HTML");
  const { answer, html } = await browser.render(`${site.origin}/${at}`);
  expect(answer).toMatchObject({ outcome: 'page', status: 200, renderState: 'complete' });
  expect(html).toContain('<p>hello body</p>');
});
