import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readLocalEnv } from '../../shared/local-config.ts';
import { sharedStack } from '../support/stack/shared-stack.ts';

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

test("the commands in the README's picture print what the picture shows", async () => {
  const svg = await read('docs/first-minute.svg');
  const lines = [...svg.matchAll(/<text class="(command|output)"[^>]*>(.*?)<\/text>/g)].map(
    ([, kind, text = '']) => ({ kind, text: unescaped(text).replace(/^\$ /, '') }),
  );
  const afterStart = lines.slice(lines.findIndex(({ text }) => text.startsWith('KEY=')));
  const textsOf = (kind: string) => afterStart.flatMap((line) => (line.kind === kind ? [line.text] : []));
  const printed = await typed(textsOf('command').join('\n'));
  expect(withoutBalance(printed.replaceAll('\r', ''))).toBe(
    withoutBalance(`${textsOf('output').join('\n')}\n`),
  );
});

const unescaped = (xml: string) =>
  xml.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

const withoutBalance = (text: string) => text.replace(/(X-Credits-Remaining:) \d+/g, '$1');

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
