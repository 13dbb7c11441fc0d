import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMMANDS } from '../../local/recording/commands.ts';
import { recordSession } from '../../local/recording/record-session.ts';
import { readLocalEnv } from '../../shared/config.ts';
import { sharedStack } from '../support/shared-stack.ts';

const ROOT = new URL('../../', import.meta.url);
const read = (path: string) => readFile(new URL(path, ROOT), 'utf8');
const run = promisify(execFile);
const path = [dirname(process.execPath), readLocalEnv().path].join(':');

const stack = await sharedStack();

/** A folder with the `.local` of the running stack, like the root after `npm start`. */
let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'readme-'));
  await symlink(stack.localDir, join(cwd, '.local'));
});
afterAll(() => rm(cwd, { recursive: true }));

/** The shell commands under a heading, one string per block. */
async function commands(page: string, heading: string): Promise<string[]> {
  const section = (await read(page)).split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);
}

async function typed(block = ''): Promise<string> {
  const here = block.replaceAll('http://127.0.0.1:3000', stack.baseUrl);
  const { stdout } = await run('sh', ['-ec', here], { cwd, env: { PATH: path } });
  return stdout;
}

test('the first commands of the README return a rendered page', async () => {
  const [, tried] = await commands('README.md', 'Try it');
  const printed = await typed(tried);
  expect(printed).toMatch(/^HTTP\/1.1 200 OK/);
  expect(printed).toContain('X-Render-State: complete');
  expect(printed).toContain('>This text was fetched by JavaScript');
});

test('the job in the guide to development completes, and its result is the page', async () => {
  const [job] = await commands('docs/development.md', 'Run it');
  const printed = await typed(job);
  expect(printed).toContain('"status":"completed"');
  expect(printed).toContain('>This text was fetched by JavaScript');
});

test('the commands of the recording print the output that the README describes', async () => {
  const lines = await recordSession(COMMANDS, { cwd, baseUrl: stack.baseUrl, path });
  const printed = lines.filter(({ kind }) => kind === 'output').map(({ text }) => text);
  expect(printed.filter((text) => /^HTTP/.test(text))).toEqual([
    'HTTP/1.1 200 OK',
    'HTTP/1.1 200 OK',
    'HTTP/1.1 400 Bad Request',
  ]);
  expect(printed.filter((text) => /^X-Credits-Used/.test(text))).toEqual([
    'X-Credits-Used: 1',
    'X-Credits-Used: 5',
    'X-Credits-Used: 0',
  ]);
  expect(printed.filter((text) => text.startsWith('<p'))).toEqual([
    '<p id="content">Loading</p>',
    '<p id="content">This text was fetched by JavaScript.</p>',
  ]);
  expect(printed.at(-1)).toBe('"code":"url_not_allowed"');
});

test('docs/first-minute.svg shows these commands (npm run record)', async () => {
  const drawn = (await read('docs/first-minute.svg')).replace(/<[^>]*>/g, '').replace(/\s/g, '');
  for (const command of COMMANDS) {
    const escaped = command.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    expect(drawn).toContain(escaped.replace(/\s/g, ''));
  }
});

test('every script that the documents name exists, and every script is named', async () => {
  const { scripts } = JSON.parse(await read('package.json')) as { scripts: Record<string, string> };
  const pages = await Promise.all(
    ['', 'docs/'].map(async (folder) =>
      (await readdir(new URL(folder, ROOT)))
        .filter((name) => name.endsWith('.md'))
        .map((name) => `${folder}${name}`),
    ),
  );
  const texts = await Promise.all(pages.flat().map(read));
  const named = texts.flatMap((text) =>
    [...text.matchAll(/npm (?:run (?:-s )?([a-z]+(?::[a-z]+)?)|(start|test))\b/g)].map(
      ([, script, lifecycle]) => script ?? lifecycle,
    ),
  );
  expect([...new Set(named)].sort()).toEqual(Object.keys(scripts).sort());
});
