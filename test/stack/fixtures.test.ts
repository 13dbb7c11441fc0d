import { fixtureSuite } from '../support/fixture-suite.ts';

/** One rendered case of each behaviour. The soak renders all, and scrapes them as jobs too. */
const RENDERED = new Set([
  'big5, declared in the header',
  'windows-1252, declared nowhere',
  'application/pdf',
  'HTML as an attachment',
  'an empty 205',
  'an address in Latin-1',
  'a mixture of all kinds',
  'a loop by script',
  'cookies set on a redirect',
  'a login with valid credentials',
  '500',
  'trailers',
  'invalid gzip',
  'an IPv6 address',
  'a self-signed certificate',
  'react hydrated',
  'endless polling',
  'a service worker',
  'shadow roots',
  'noscript',
  'frames',
  'a wait_for without a match',
]);

await fixtureSuite({ isTaken: ({ it, render_js }) => !render_js || RENDERED.has(it.name), isJobToo: false });
