import { defineConfig } from 'vitest/config';

const MINUTE = 60_000;

/** Clients generated from the OpenAPI document, and its linter: npm run test:clients */
export default defineConfig({
  test: {
    name: 'clients',
    include: ['test/clients/*.test.ts'],
    globalSetup: 'test/support/stack/stack-setup.ts',
    testTimeout: 2 * MINUTE,
    hookTimeout: 2 * MINUTE,
  },
});
