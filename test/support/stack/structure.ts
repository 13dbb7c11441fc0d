import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HOUSE_WORDS } from '../../../lint-rules.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const IMPORT = /(?:\bfrom|\bimport\(|^import) ?'(\.[^']+)'/gm;

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const files = (pattern: string) =>
  globSync(pattern, { cwd: ROOT, exclude: (path) => path.includes('node_modules') }).sort();

/** Folders whose parts must not import in circles. */
export const FOLDERS = [
  ...[
    'clients/cli/src',
    'clients/typescript/src',
    'functions',
    'functions/browser',
    'functions/dashboard',
    'functions/worker',
    'infra',
    'local',
  ],
  ...['shared', 'shared/adapters/dynamodb', 'shared/contract', 'shared/domain', 'shared/egress'],
  ...['shared/http', 'shared/output', 'shared/use-cases'],
];

/** Paths in the repository that a file imports, types included. */
const importsOf = (file: string) =>
  [...read(file).matchAll(IMPORT)].map(([, path = '']) => join(dirname(file), path));

/** A part that imports another one, and in how many lines. */
export type Dependency = { from: string; to: string; lines: number };

/** Its direct subfolders and files, and how those import each other. */
export type Structure = {
  parts: number;
  /** Parts on the longest way along dependencies. */
  levels: number;
  dependencies: number;
  /** The dependencies that make a circle, with as few import lines as the others allow. */
  circular: Dependency[];
};

export function structureOf(folder: string): Structure {
  const inside = files(`${folder}/**/*.ts`);
  const partOf = (file: string) => relative(folder, file).split('/')[0] ?? '';
  const lines = new Map<string, Dependency>();
  for (const file of inside)
    for (const to of importsOf(file).filter((path) => inside.includes(path))) {
      const each = { from: partOf(file), to: partOf(to) };
      const name = `${each.from} ${each.to}`;
      if (each.from !== each.to) lines.set(name, { ...each, lines: (lines.get(name)?.lines ?? 0) + 1 });
    }
  return { parts: new Set(inside.map(partOf)).size, ...levelsOf([...lines.values()]) };
}

/** What of these dependencies makes circles, and how many levels the others have. */
export function levelsOf(all: readonly Dependency[]): Omit<Structure, 'parts'> {
  const kept: Dependency[] = [];
  const circular: Dependency[] = [];
  const below = (part: string) => kept.filter(({ from }) => from === part).map(({ to }) => to);
  const reaches = (part: string, goal: string): boolean =>
    part === goal || below(part).some((next) => reaches(next, goal));
  for (const each of all.toSorted((a, b) => b.lines - a.lines))
    (reaches(each.to, each.from) ? circular : kept).push(each);
  const depth = (part: string): number => 1 + Math.max(0, ...below(part).map(depth));
  return {
    levels: Math.max(1, ...kept.map(({ from }) => depth(from))),
    dependencies: all.length,
    circular,
  };
}

const PRODUCT = '{functions,shared,infra,local}/**/*.{ts,js,mjs}';
const linesOf = (file: string) => read(file).split('\n').length - 1;
const sum = (pattern: string, count: (file: string) => number) =>
  files(pattern).reduce((total, file) => total + count(file), 0);
/** Bars of tables are no words. `docs/errors.md` is written by `npm run openapi`. */
const wordsOf = (file: string) =>
  file === 'docs/errors.md'
    ? 0
    : read(file)
        .split(/\s+/)
        .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** Files of at most 40 lines that one file imports, a neighbour: they could be part of it. */
export function soleNeighbours(): string[] {
  const readers = new Map<string, string[]>();
  for (const file of files(PRODUCT))
    for (const path of new Set(importsOf(file))) readers.set(path, [...(readers.get(path) ?? []), file]);
  return files('{functions,shared,infra,local}/**/*.ts').filter((file) => {
    const [reader = '', ...others] = readers.get(file) ?? [];
    return others.length === 0 && dirname(reader) === dirname(file) && linesOf(file) <= 40;
  });
}

export const filesOver = (most: number, pattern = '{functions,shared,infra,local}/**/*.ts'): string[] =>
  files(pattern).filter((file) => linesOf(file) > most);

/** Lines of comments with a word that the rule `house-words` refuses. */
const houseWordsOf = (file: string) =>
  read(file)
    .split('\n')
    .filter((line) => /^\s*(?:\/\/|\/?\*)/.test(line) && HOUSE_WORDS.some((word) => word.test(line))).length;

/** Lines that take a type from a function's parameters, where a name would say what is needed. */
export const borrowedParameters = (): string[] =>
  files(PRODUCT).flatMap((file) =>
    read(file)
      .split('\n')
      .filter((line) => /(?<!Constructor)Parameters?<typeof/.test(line)),
  );

/** How large the repository is. */
export const sizes = () => ({
  'lines of the product': sum(PRODUCT, linesOf),
  'lines of clients': sum('clients/*/src/**/*.ts', linesOf),
  'lines of tests': sum('test/**/*.{ts,js,mjs,yaml}', linesOf),
  'lines of bench': sum('bench/**/*.{ts,js,mjs}', linesOf),
  'words of documents': sum('{*.md,docs/**/*.md}', wordsOf),
  "words of the benches' notes": sum('bench/*.md', wordsOf),
  decisions: files('docs/decisions/0*.md').length,
  'house words in comments': sum('{functions,shared,infra,local,test,bench}/**/*.ts', houseWordsOf),
});
