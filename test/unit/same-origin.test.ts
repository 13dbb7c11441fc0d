import { expect, test } from 'vitest';
import { isSameOrigin } from '../../shared/domain/scrape/target/same-origin.ts';

test.each([
  ['http://a.example/', 'http://a.example:80/other', true],
  ['http://a.example/', 'https://a.example/', true],
  ['https://a.example/', 'http://a.example/', false],
  ['http://a.example/', 'https://a.example:8443/', false],
  ['http://a.example:8080/', 'https://a.example/', false],
  ['http://a.example/', 'https://www.a.example/', false],
  ['https://a.example/', 'https://a.example:8443/', false],
])('%s and %s have the same origin: %s', (from, to, same) => {
  expect(isSameOrigin(new URL(from), new URL(to))).toBe(same);
});
