import { defineConfig } from 'vitest/config';

const MINUTE = 60_000;

/** What needs an operator's tools, aws and moto_server, and is skipped without them: npm run test:ops */
export default defineConfig({
  test: {
    name: 'ops',
    include: ['test/ops/**/*.test.ts'],
    testTimeout: 4 * MINUTE,
    hookTimeout: 2 * MINUTE,
    maxWorkers: 2,
  },
});
