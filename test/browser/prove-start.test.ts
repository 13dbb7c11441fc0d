import { chmod, mkdtempDisposable, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Processes } from '../../functions/browser/launch/chromium-flags.ts';
import { isolates } from '../../functions/browser/launch/isolates.ts';
import { proveStart } from '../../functions/browser/launch/prove-start.ts';
import { unpackChromium } from '../../infra/constructs/unpack-chromium.ts';
import { answerTo } from '../support/browser/chromium.ts';
import { renderSite } from '../support/servers/render-site.ts';

const chromiumDir = await unpackChromium();

/** Chromium's folder with a wrapper script, which may exit before Chromium starts. */
async function chromiumBehind(script: string) {
  const folder = await mkdtempDisposable(join(tmpdir(), 'prove-start-'));
  for (const name of await readdir(chromiumDir)) {
    if (name !== 'chromium') await symlink(join(chromiumDir, name), join(folder.path, name));
  }
  const path = join(folder.path, 'chromium');
  await writeFile(path, `#!/bin/sh\n${script}\nexec ${join(chromiumDir, 'chromium')} "$@"\n`);
  await chmod(path, 0o755);
  return folder;
}

async function proof(dir: string, wanted: Processes, deadline?: number) {
  const counts: string[] = [];
  const lines: [string, Record<string, unknown>][] = [];
  const infos: [string, Record<string, unknown>][] = [];
  const works = await proveStart({
    chromiumDir: dir,
    wanted,
    log: {
      info: (kind: string, line: Record<string, unknown>) => void infos.push([kind, line]),
      warn: (kind: string, line: Record<string, unknown>) => void lines.push([kind, line]),
    },
    count: (name) => void counts.push(name),
    // Time of an init: performance.now() counts from the start of the tests.
    deadline: deadline ?? performance.now() + 20_000,
  });
  return { works, counts, lines, infos };
}

const MS = { launch: expect.any(Number) as number, page: expect.any(Number) as number };

test.each(['one', 'many'] as const)(
  'Chromium renders in %s as configured, and only the times of its start are logged',
  async (wanted) => {
    const line = { wanted, works: wanted, ms: { [wanted]: MS }, init_ms: expect.any(Number) as number };
    expect(await proof(chromiumDir, wanted)).toEqual({
      works: wanted,
      counts: [],
      lines: [],
      infos: [['browser_start', line]],
    });
  },
);

test('Chromium that only starts slowly keeps its process model, and the next scrape renders in it', async () => {
  await using folder = await chromiumBehind('sleep 2');
  const { works, counts, lines } = await proof(folder.path, 'one', performance.now() + 200);
  expect({ works, counts }).toEqual({ works: 'one', counts: [] });
  expect(lines.map(([, line]) => line)).toEqual([
    expect.objectContaining({
      works: 'one',
      faults: { one: expect.stringContaining('aborted') as string },
      ms: { one: { launch: expect.any(Number) as number } },
    }),
  ]);
  await using site = await renderSite({ '/': '<p>late' });
  await using browsers = isolates({
    chromiumDir: folder.path,
    policy: { allow: [site.host] },
    processes: works,
  });
  const request = { requestId: 'test', url: `${site.origin}/`, timeoutMs: 20_000 };
  expect((await answerTo(browsers, request)).html).toContain('<p>late');
});

test.each([
  ['one', 'many', 'case "$*" in *--single-process*) echo "cannot be one" >&2; exit 1;; esac'],
  [
    'many',
    'one',
    'case "$*" in *--single-process*) ;; *) echo "prctl(PR_SET_NO_NEW_PRIVS) failed" >&2; exit 1;; esac',
  ],
] as const)(
  'Chromium that cannot start in %s renders in %s, which is counted and logged',
  async (wanted, other, script) => {
    await using folder = await chromiumBehind(script);
    const { works, counts, lines } = await proof(folder.path, wanted);
    expect({ works, counts }).toEqual({ works: other, counts: ['BrowserFallback'] });
    expect(lines).toHaveLength(1);
    const [kind, line] = lines[0] ?? [];
    expect(kind).toBe('browser_start');
    expect(line).toMatchObject({
      wanted,
      works: other,
      faults: { [wanted]: expect.stringMatching(/cannot be one|PR_SET_NO_NEW_PRIVS/) as string },
      flags: expect.arrayContaining(['--no-sandbox']) as string[],
      limits: {
        kernel: expect.any(String) as string,
        uid: expect.any(Number) as number,
        limits: expect.arrayContaining([expect.stringMatching(/^Max open files/)]) as string[],
        mounts: expect.arrayContaining([expect.stringMatching(/ \/ /)]) as string[],
      },
    });
  },
);

test('Chromium that hangs once its processes could not start is a fault too', async () => {
  const hangs = 'echo "prctl(PR_SET_NO_NEW_PRIVS) failed" >&2; exec sleep 60';
  await using folder = await chromiumBehind(`case "$*" in *--single-process*) ;; *) ${hangs};; esac`);
  const { works, counts, lines } = await proof(folder.path, 'many');
  expect({ works, counts }).toEqual({ works: 'one', counts: ['BrowserFallback'] });
  expect(lines[0]?.[1]).toMatchObject({ ms: { one: MS } });
});

test('a warm browser that would start too late for the init is left out', async () => {
  await using folder = await chromiumBehind('sleep 60');
  await using browsers = isolates({ chromiumDir: folder.path, policy: { allow: [] }, processes: 'one' });
  expect(await browsers.keepWarm(100)).toBe(false);
});

// Before its first page, and at every stage of preparing it.
test.each([0, 300, 500, 1_000, 3_000])(
  'the output of Chromium is reported if it exits after %i bytes of commands',
  async (bytes) => {
    const chromium = join(chromiumDir, 'chromium');
    const ends = `echo "last words" >&2; { dd bs=1 count=${bytes} status=none <&3; kill -9 0; } | ${chromium} "$@" 3<&0`;
    await using folder = await chromiumBehind(`case "$*" in *--single-process*) ${ends};; esac`);
    const { lines } = await proof(folder.path, 'one');
    expect(lines.map(([, line]) => line)).toEqual([
      expect.objectContaining({ faults: { one: expect.stringContaining('last words') as string } }),
    ]);
  },
);

test('Chromium that dies of its first page is a fault too', async () => {
  const ends = `{ sed -zu /Page.navigate/Q <&3; kill -9 0; } | ${join(chromiumDir, 'chromium')} "$@" 3<&0`;
  await using folder = await chromiumBehind(`case "$*" in *--single-process*) ${ends};; esac`);
  expect(await proof(folder.path, 'one')).toMatchObject({ works: 'many', counts: ['BrowserFallback'] });
});

test('a scrape is browser_crashed at once if Chromium starts in neither way', async () => {
  await using folder = await chromiumBehind('echo "error while loading shared libraries" >&2; exit 127');
  const { works, counts, lines } = await proof(folder.path, 'one');
  expect({ works, counts }).toEqual({ works: undefined, counts: ['BrowserUnusable'] });
  expect(JSON.stringify(lines)).toContain('error while loading shared libraries');
  await using browsers = isolates({ chromiumDir: folder.path, policy: { allow: [] }, processes: works });
  const request = { requestId: 'test', url: 'http://example.com/', timeoutMs: 10_000 };
  expect(await answerTo(browsers, request)).toMatchObject({ answer: { code: 'browser_crashed' } });
});

test('a failed start of a browser is retried once, and the caller gets the page', async () => {
  const marker = join(tmpdir(), `tried-${process.pid}`);
  await using folder = await chromiumBehind(`[ -e ${marker} ] || { touch ${marker}; exit 1; }`);
  await using site = await renderSite({ '/': '<p>second try' });
  const policy = { allow: [site.host] };
  await using browsers = isolates({ chromiumDir: folder.path, policy, processes: 'one' });
  const request = { requestId: 'test', url: `${site.origin}/`, timeoutMs: 20_000 };
  expect((await answerTo(browsers, request)).html).toContain('<p>second try');
  expect(site.asked).toEqual(['/']);
  await rm(marker);
});
