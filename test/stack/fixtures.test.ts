import { fixtureSuite } from '../support/stack/fixture-suite.ts';

/** One rendered case of each behaviour. The soak renders all, and scrapes them as jobs too. */
const RENDERED = new Set([
  'big5, declared in the header',
  'application/pdf',
  'an empty 205',
  'a mixture of all kinds',
  'a loop by script',
  'a login with valid credentials',
  'invalid gzip',
  'a self-signed certificate',
  'react hydrated',
  'endless polling',
  'a service worker',
  'frames',
  'a wait_for without a match',
]);

await fixtureSuite({ isTaken: ({ it, render_js }) => !render_js || RENDERED.has(it.name), isJobToo: false });
