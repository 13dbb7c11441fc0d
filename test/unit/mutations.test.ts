import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mutations } from '../egress/mutations.ts';

const root = new URL('../../', import.meta.url);

test('every mutation still finds its code, and changes it', () => {
  const stale = mutations.filter(
    ({ file, text, becomes }) =>
      becomes === text || !readFileSync(new URL(file, root), 'utf8').includes(text),
  );
  expect(stale.map(({ file, text }) => `${file}: ${text}`)).toEqual([]);
});
