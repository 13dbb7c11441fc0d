import { expect, test } from 'vitest';
import { memoize } from '../../shared/contract/memoize.ts';

function counted(most?: number) {
  const asked: string[] = [];
  const answer = memoize((text) => {
    asked.push(text);
    return text === '' ? undefined : text.length;
  }, most);
  return { answer, asked };
}

test('a text is computed once, also if the answer is undefined', () => {
  const { answer, asked } = counted();
  expect(['a', '', 'bc', 'a', '', 'bc'].map(answer)).toEqual([1, undefined, 2, 1, undefined, 2]);
  expect(asked).toEqual(['a', '', 'bc']);
});

test('no more texts than wanted are kept', () => {
  const { answer, asked } = counted(2);
  ['a', 'b', 'c', 'c', 'a'].forEach(answer);
  expect(asked).toEqual(['a', 'b', 'c', 'a']);
});
