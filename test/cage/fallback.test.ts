import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundledBrowser } from '../support/cage/bundled-browser.ts';
import { cageHere } from '../support/cage/cage.ts';
import { renderSite } from '../support/servers/render-site.ts';

type Line = { message?: string; BrowserFallback?: number; BrowserUnusable?: number };

const { isPossible, missing, title } = await cageHere();
const isTold = isPossible && !missing.includes('filter of system calls');

const parsed = (lines: string[]) =>
  lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Line);

describe.skipIf(!isTold)(`many processes ${title}`, () => {
  let site: Awaited<ReturnType<typeof renderSite>>;
  let browser: Awaited<ReturnType<typeof bundledBrowser>>;
  beforeAll(async () => {
    site = await renderSite({ '/': '<p>rendered' });
    browser = await bundledBrowser({ allow: site.host, variables: { BROWSER_PROCESSES: 'many' } });
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
  });

  test('cannot start, so pages are rendered in one', async () => {
    expect((await browser.render(`${site.origin}/`)).html).toContain('<p>rendered');
  });

  test('are logged once, with the output of Chromium and the limits of the sandbox', () => {
    expect(parsed(browser.lines).filter(({ message }) => message === 'browser_start')).toEqual([
      expect.objectContaining({
        wanted: 'many',
        works: 'one',
        faults: { many: expect.stringContaining('prctl(PR_SET_NO_NEW_PRIVS)') as string },
        limits: expect.objectContaining({
          uid: 993,
          limits: expect.arrayContaining(['Max open files 1024 1024 files']) as string[],
        }) as object,
      }),
    ]);
  });

  test('are counted once', () => {
    const lines = parsed(browser.lines);
    expect(lines.reduce((sum, line) => sum + (line.BrowserFallback ?? 0), 0)).toBe(1);
    expect(lines.filter((line) => 'BrowserUnusable' in line)).toEqual([]);
  });
});
