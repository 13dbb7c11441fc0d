import { defineConfig } from 'vitest/config';

const MINUTE = 60_000;

/** What takes minutes: `npm run test:soak`, one file after another, for each needs the machine to itself. */
export default defineConfig({
  test: {
    provide: { processes: 'one' },
    include: ['test/soak/**/*.test.ts'],
    globalSetup: 'test/support/stack-setup.ts',
    fileParallelism: false,
    maxConcurrency: 2,
    testTimeout: 30 * MINUTE,
    hookTimeout: 2 * MINUTE,
    expect: { poll: { timeout: 8_000 } },
  },
});
