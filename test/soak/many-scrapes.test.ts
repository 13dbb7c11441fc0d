import { expect, test } from 'vitest';
import {
  leftByPlainScrapes,
  leftByRenderedScrapes,
  ownTemporaryFolder,
} from '../support/browser/leftovers.ts';

const SCRAPES = 200;
const TAKEN_BYTES = 200_000 * SCRAPES;

ownTemporaryFolder();

test(`${SCRAPES} plain scrapes leave no open file and no used memory`, async () => {
  expect(await leftByPlainScrapes({ warmUp: SCRAPES, scrapes: SCRAPES })).toBeLessThan(TAKEN_BYTES);
});

test(`${SCRAPES} rendered scrapes leave no file, process, zombie, name in /tmp or used memory`, async () => {
  expect(await leftByRenderedScrapes({ warmUp: 50, scrapes: SCRAPES })).toBeLessThan(TAKEN_BYTES);
});
