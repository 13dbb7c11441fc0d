import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openapi } from '../../shared/api/openapi.ts';

const committed = new URL('../../docs/openapi.json', import.meta.url);

test('docs/openapi.json is up to date (npm run openapi)', () => {
  expect(JSON.parse(readFileSync(committed, 'utf8'))).toEqual(openapi());
});
