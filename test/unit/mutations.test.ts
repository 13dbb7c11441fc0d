import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Mutation, readMutations } from '../mutations/read-mutations.ts';
import { countNamed, titlesIn } from '../mutations/titles.ts';

const mutations = readMutations();
const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const listed = (mutation: Mutation) => `${mutation.file}: ${mutation.text} -> ${mutation.case}`;

test('every mutation changes a snippet that occurs once in its file', () => {
  expect(mutations).not.toEqual([]);
  const wrong = mutations.filter(
    ({ file, text, becomes }) => becomes === text || read(file).split(text).length !== 2,
  );
  expect(wrong.map(listed)).toEqual([]);
});

test('every case in the list of mutations names one test of its file', () => {
  for (const file of new Set(mutations.map((mutation) => mutation.test))) {
    const source = read(file);
    const titles = titlesIn(source);
    const cases = mutations.filter((mutation) => mutation.test === file);
    const wrong = cases.filter((mutation) => countNamed(mutation.case, titles, source) !== 1);
    expect(wrong.map(listed), file).toEqual([]);
  }
});
