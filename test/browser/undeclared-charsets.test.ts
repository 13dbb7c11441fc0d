import { expect, test } from 'vitest';
import { openChromium } from '../support/browser/chromium-charsets.ts';
import { undeclaredPages } from '../support/browser/undeclared-pages.ts';

const EVERY = 3;

test('Chromium still reads pages without a charset as the recorded answers say', async () => {
  await using chromium = await openChromium();
  const pages = undeclaredPages().filter((_, index) => index % EVERY === 0);
  const charsets = await chromium.charsetsOf(pages.map(({ bytes }) => bytes));
  expect(pages.map(({ name }, index) => `${name}: ${charsets[index]}`)).toEqual(
    pages.map(({ name, chromium: recorded }) => `${name}: ${recorded}`),
  );
});
