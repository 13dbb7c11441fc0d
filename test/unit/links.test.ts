import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = [
  '.',
  '.github',
  'docs',
  'docs/decisions',
  'docs/examples',
  'bench',
  'clients/cli',
  'clients/python',
  'clients/typescript',
];

const pages = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);

/** Anchors that GitHub generates from headings. */
function anchorsIn(path: string): string[] {
  const headings = readFileSync(path, 'utf8').matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, text = '']) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test.each(pages)('every relative link in %s leads to a file and a heading', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8').replace(/```.*?```/gs, '');
  const inline = [...text.matchAll(/\]\(([^)\s]+)\)/g)];
  const named = [...text.matchAll(/^\[[^\]]+\]: (\S+)$/gm)];
  const attributes = [...text.matchAll(/\b(?:src|srcset|href)="([^"\s]+)"/g)];
  const links = [...inline, ...named, ...attributes].map(([, link = '']) => link);
  const dead = links
    .filter((link) => !/^(https?:|mailto:|\.\.\/\.\.\/(actions|compare|releases|tree)\/)/.test(link))
    .filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path ? join(ROOT, page, '..', path) : join(ROOT, page);
      return !existsSync(target) || (anchor && !anchorsIn(target).includes(anchor));
    });
  expect(dead).toEqual([]);
});

const contributing = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');

test('CONTRIBUTING names no file or folder that does not exist', () => {
  const named = [...contributing.matchAll(/`((?:functions|shared|infra|local|test|bench)\/[\w./-]+)`/g)];
  expect(named.length).toBeGreaterThan(30);
  const paths = named.map(([, path = '']) => path);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('CONTRIBUTING shows a first test that is one of the tests', () => {
  const file = readFileSync(join(ROOT, 'test/functional/first-test.test.ts'), 'utf8');
  expect(contributing).toContain(`\`\`\`ts\n${file}\`\`\``);
});
