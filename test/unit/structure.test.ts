import { expect, test } from 'vitest';
import {
  borrowedParameters,
  filesOver,
  FOLDERS,
  levelsOf,
  sizes,
  soleNeighbours,
  structureOf,
} from '../support/stack/structure.ts';

test.each(FOLDERS)('the parts of %s do not import in circles', (folder) => {
  expect(structureOf(folder).circular).toEqual([]);
});

test.each([
  ['shared/adapters/dynamodb', 9],
  ['shared/use-cases', 7],
  ['functions/browser', 11],
])('%s has at most %d parts', (folder, most) => {
  const { parts } = structureOf(folder);
  expect(parts).toBeGreaterThan(1);
  expect(parts).toBeLessThanOrEqual(most);
});

test('the documents stay short, and no comment has a house word', () => {
  const measured = sizes();
  // Crawls brought a guide; the API of another service 1,000 words on what differs; operators a pipeline, a
  // bound of the bill and a small server, 900; callers a whole program, 500.
  // PDF, office documents and MCP bring what callers must know of them, 800; values that a model reads, 750.
  expect(measured['words of documents']).toBeLessThanOrEqual(46_310);
  expect(measured.decisions).toBeLessThanOrEqual(37);
  expect(measured['house words in comments']).toBe(0);
});

test('no file is longer than 200 lines', () => {
  expect(filesOver(200)).toEqual([]);
  // The generated types alone.
  expect(filesOver(200, 'clients/*/{,src/**/}*.ts')).toEqual(['clients/typescript/src/schema.ts']);
});

test('a circle of folders is found where the fewest imports close it', () => {
  const line = (from: string, to: string, lines: number) => ({ from, to, lines });
  const back = line('c', 'a', 1);
  expect(levelsOf([back, line('a', 'b', 3), line('b', 'c', 2)])).toEqual({
    levels: 3,
    dependencies: 3,
    circular: [back],
  });
});

test('what a function needs has a name of its own', () => {
  expect(borrowedParameters()).toEqual([]);
});

test('the handler of each function is at most 20 lines', () => {
  expect(filesOver(20, 'functions/*/handler.ts')).toEqual([]);
  expect(filesOver(0, 'functions/*/handler.ts').length).toBeGreaterThan(10);
});

test('few small files have one reader in the same folder', () => {
  expect(soleNeighbours()).toContain('shared/html/charset-weights.ts');
  // Crawls brought seven, such as the names that others use for hosts, traps and counts.
  // Values by a schema brought two, the writings of numbers and the prompt.
  expect(soleNeighbours().length).toBeLessThanOrEqual(44);
});
