import { defineConfig } from 'vitest/config';

/** The contract suites over Amazon's own DynamoDB Local in place of dynalite: npm run test:dynamodb */
export default defineConfig({
  test: {
    name: 'dynamodb',
    provide: { extent: 'some' },
    include: ['test/contract/**/*.test.ts'],
    // Faults of the network do not depend on the DynamoDB behind it.
    exclude: ['test/contract/faults.test.ts'],
    globalSetup: 'test/support/world/dynamodb-local.ts',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
