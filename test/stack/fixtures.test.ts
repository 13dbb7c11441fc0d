import { fixtureSuite } from '../support/stack/fixture-suite.ts';

/** One case of each behaviour, plain and rendered. The soak scrapes all, and as jobs too. */
const TAKEN = new Set([
  'big5, declared in the header',
  'application/pdf',
  'an empty 205',
  '302',
  'a login with valid credentials',
  'invalid gzip',
  'react hydrated',
  'a wait_for without a match',
]);

await fixtureSuite({ isTaken: ({ it }) => TAKEN.has(it.name), isJobToo: false });
