import { readFile } from 'node:fs/promises';
import { pid } from 'node:process';
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { chromiumProcesses, openBrowsers } from '../support/browser/chromium.ts';
import { extent } from '../support/world/extent.ts';
import { renderSite } from '../support/servers/render-site.ts';

const BOMB_BYTES = 300_000_000;
/** Of the browser function. */
const MEMORY_BYTES = 2_147_483_648;
const SAMPLE_MS = 20;

const bomb = Buffer.alloc(BOMB_BYTES, 'a');
const quickly = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const PACKED = {
  gzip: () => gzipSync(bomb, { level: 1 }),
  br: () => brotliCompressSync(bomb, quickly),
  zstd: () => zstdCompressSync(bomb),
  deflate: () => deflateSync(bomb, { level: 1 }),
};

/** Resident bytes of all processes of the browser. */
async function residentBytes(): Promise<number> {
  const ids = (await chromiumProcesses()).filter((id) => id !== pid);
  const sizes = await Promise.all(
    ids.map(async (id) => {
      const status = await readFile(`/proc/${id}/status`, 'utf8').catch(() => '');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1_024;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** The result of the work, and the peak memory of the browser. */
async function withPeak<T>(work: () => Promise<T>): Promise<{ rendered: T; peak: number }> {
  let peak = 0;
  const sampling = setInterval(() => {
    void residentBytes().then((bytes) => (peak = Math.max(peak, bytes)));
  }, SAMPLE_MS);
  try {
    const rendered = await work();
    return { rendered, peak };
  } finally {
    clearInterval(sampling);
  }
}

type Bomb = readonly [encoding: keyof typeof PACKED, type: string];
const BOMBS: readonly Bomb[] = [
  ['gzip', 'text/html'],
  ['zstd', 'application/pdf'],
  ['br', '*/*'],
  ['br', 'text/html'],
  ['zstd', 'text/html'],
  ['deflate', 'text/html'],
];

/** A page and a file that are too large are in own-bytes.test.ts. */
test.each(extent([], BOMBS))(
  '300 MB in %s as %s are response_too_large within the memory of the function',
  async (encoding, type) => {
    const packed = PACKED[encoding]();
    await using site = await renderSite({
      '/': (_, response) =>
        response.writeHead(200, { 'Content-Type': type, 'Content-Encoding': encoding }).end(packed),
    });
    await using browser = await openBrowsers(site.host);
    const { peak, rendered } = await withPeak(() => browser.render(`${site.origin}/`, 20_000));
    // On a busy machine the layout of text may take until the deadline.
    const codes =
      type === 'text/html' ? /^(response_too_large|timeout|browser_crashed)$/ : /^response_too_large$/;
    expect(rendered.answer).toMatchObject({ outcome: 'error', code: expect.stringMatching(codes) as string });
    expect(peak).toBeGreaterThan(0);
    expect(peak).toBeLessThan(MEMORY_BYTES);
  },
);

const HOARDERS: readonly [what: string, script: string][] = [
  ['text', `for (let i = 0; ; i += 1) document.body.append('x'.repeat(10_000_000) + i);`],
  ['buffers', `const all = []; for (;;) all.push(new Uint8Array(50_000_000).fill(1));`],
];

test.each(extent(HOARDERS.slice(-1), HOARDERS))(
  'a page that allocates endless %s stays within the memory of the function',
  async (_, script) => {
    await using site = await renderSite({ '/': `<body><script>${script}</script>` });
    await using browser = await openBrowsers(site.host);
    const { peak, rendered } = await withPeak(() => browser.render(`${site.origin}/`, 20_000));
    expect(rendered.answer.outcome).toMatch(/^(page|error)$/);
    expect(peak).toBeGreaterThan(0);
    expect(peak).toBeLessThan(MEMORY_BYTES);
  },
);

test('a large page whose last content waits for a frame is complete', async () => {
  const drawn = Promise.withResolvers<undefined>();
  await using site = await renderSite({
    '/': (_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' });
      response.write(`<!DOCTYPE html><script>
        const look = () => document.querySelector('i') ? fetch('/drawn') : requestAnimationFrame(look);
        requestAnimationFrame(look);
      </script>${'<p>lorem ipsum dolor sit amet</p>'.repeat(50_000)}<i></i>`);
      void drawn.promise.then(() => response.end('<b>the end'));
    },
    '/drawn': (_, response) => drawn.resolve(void response.end()),
  });
  await using browser = await openBrowsers(site.host);
  const { answer, html } = await browser.render(`${site.origin}/`);
  expect(answer).toMatchObject({ outcome: 'page', renderState: 'complete' });
  expect(html).toContain('<b>the end');
});
