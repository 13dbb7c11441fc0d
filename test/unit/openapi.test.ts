import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openapi } from '../../shared/http/openapi.ts';

test('the committed document is the one that the code gives: npm run openapi', () => {
  const committed = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8');
  expect(JSON.parse(committed)).toEqual(openapi());
});
