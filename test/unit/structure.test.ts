import { expect, test } from 'vitest';
import {
  borrowedParameters,
  filesOver,
  levelsOf,
  soleNeighbours,
  structureOf,
} from '../support/stack/structure.ts';

test('the DynamoDB adapters are at most 9 folders and files, which do not import in circles', () => {
  const { parts, circular } = structureOf('shared/adapters/dynamodb');
  expect(parts).toBeLessThanOrEqual(9);
  expect(circular).toEqual([]);
});

test('the use cases are six folders, which do not import in circles', () => {
  const { parts, circular } = structureOf('shared/use-cases');
  expect(parts).toBeLessThanOrEqual(6);
  expect(circular).toEqual([]);
});

test('the folders of shared do not import in circles', () => {
  const { circular, dependencies } = structureOf('shared');
  expect(circular).toEqual([]);
  expect(dependencies).toBeGreaterThan(20);
});

test.each(['contract', 'domain'])('the folders of %s do not import in circles', (layer) => {
  expect(structureOf(`shared/${layer}`).circular).toEqual([]);
});

test('no file is longer than 200 lines', () => {
  expect(filesOver(200)).toEqual([]);
});

test('the browser is at most 11 folders and files, which do not import in circles', () => {
  const { parts, circular } = structureOf('functions/browser');
  expect(parts).toBeLessThanOrEqual(11);
  expect(circular).toEqual([]);
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
  expect(soleNeighbours().length).toBeLessThanOrEqual(30);
});
