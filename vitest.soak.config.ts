import { defineConfig } from 'vitest/config';

const MINUTE = 60_000;

/** Suites of which `npm test` runs some cases or fewer repetitions. */
const SUITES = [
  'test/browser/bombs.test.ts',
  'test/browser/cut-off-pages.test.ts',
  'test/browser/dashboard-boxes.test.ts',
  'test/browser/documents.test.ts',
  'test/browser/hostile.test.ts',
  'test/browser/own-bytes.test.ts',
  'test/browser/same-tree.test.ts',
  'test/browser/serve-until-spent.test.ts',
  'test/browser/scenario-failures.test.ts',
  'test/browser/scenarios.test.ts',
  'test/browser/scenario-screenshots.test.ts',
  'test/browser/scrolling.test.ts',
  'test/browser/tall-pages.test.ts',
  'test/browser/waits.test.ts',
  'test/contract/job-life.test.ts',
  'test/contract/usage-days.test.ts',
  'test/egress/hostile-browser.test.ts',
  'test/functional/cache-pairs.test.ts',
  'test/functional/grammar-fuzz.test.ts',
  'test/functional/guesses.test.ts',
  'test/functional/slow-lines.test.ts',
  'test/functional/crawl-wave-deaths.test.ts',
  'test/infra/app.test.ts',
  'test/functional/batch-deaths.test.ts',
  'test/stack/client.test.ts',
  'test/stack/crawl.test.ts',
  'test/stack/dashboard.test.ts',
  'test/stack/dashboard-journey.test.ts',
  'test/stack/docs.test.ts',
  'test/stack/first-day.test.ts',
  'test/stack/python-client.test.ts',
  'test/unit/change.test.ts',
  'test/unit/crawl-schedules.test.ts',
  'test/unit/markdown-read.test.ts',
  'test/unit/selectors.test.ts',
  'test/unit/slice.test.ts',
  'test/unit/thread-converter.test.ts',
];

/** What takes minutes: `npm run test:soak`, one file after another, for each needs the machine to itself. */
export default defineConfig({
  test: {
    provide: { processes: 'one', extent: 'all' },
    include: ['test/soak/**/*.test.ts', ...SUITES],
    globalSetup: 'test/support/stack/stack-setup.ts',
    fileParallelism: false,
    maxConcurrency: 2,
    testTimeout: 30 * MINUTE,
    hookTimeout: 2 * MINUTE,
    expect: { poll: { timeout: 8_000 } },
  },
});
