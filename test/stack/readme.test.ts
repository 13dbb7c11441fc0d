import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { readLocalEnv } from '../../shared/config.ts';
import { localStack } from '../support/local-stack.ts';

const ROOT = new URL('../../', import.meta.url);
const run = promisify(execFile);

let readme: string;
beforeAll(async () => {
  readme = await readFile(new URL('README.md', ROOT), 'utf8');
});

/** The shell commands under a heading, one text a block. */
function commands(heading: string): string[] {
  const section = readme.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);
}

test('the first commands that somebody tries do what is said of them', async () => {
  await using stack = await localStack();
  const [, tried = ''] = commands('Try it');
  const file = join(stack.localDir, 'stack.json');
  const here = tried
    .replaceAll('./.local/stack.json', file)
    .replaceAll('http://127.0.0.1:3000', stack.baseUrl);
  const PATH = [dirname(process.execPath), readLocalEnv().path].join(':');
  const { stdout } = await run('sh', ['-ec', here], { env: { PATH } });
  expect(stdout).toMatch(/^HTTP\/1.1 200 OK/);
  expect(stdout).toContain('X-Render-State: complete');
  expect(stdout).toContain('"status":"completed"');
  // Once at once, once as the job's result.
  expect(stdout.match(/>This text was fetched by JavaScript/g)).toHaveLength(2);
});

test('every script that README and docs name is there, and every one that is there is named', async () => {
  const { scripts } = JSON.parse(await readFile(new URL('package.json', ROOT), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const pages = (await readdir(new URL('docs/', ROOT))).filter((name) => name.endsWith('.md'));
  const texts = await Promise.all(pages.map((name) => readFile(new URL(`docs/${name}`, ROOT), 'utf8')));
  const named = [readme, ...texts].flatMap((text) =>
    [...text.matchAll(/npm (?:run (?:-s )?([a-z]+(?::[a-z]+)?)|(start|test))\b/g)].map(
      ([, script, lifecycle]) => script ?? lifecycle,
    ),
  );
  expect([...new Set(named)].sort()).toEqual(Object.keys(scripts).sort());
});
