import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { installClient } from './test/ric/install-client.ts';

const SUITES = [
  'stack/lambda-runtime',
  'stack/gateway',
  'stack/service',
  'stack/first-day',
  'stack/logs',
  'stack/worker',
  'soak/thaw',
  'soak/fairness',
  'soak/killed',
];

/** The local stack over Lambda's own runtime client, not local/lambda/bootstrap.ts: npm run test:ric */
export default defineConfig(async () => {
  const obstacle = await installClient();
  if (obstacle !== undefined) console.warn(`Not run: aws-lambda-ric cannot be built here.\n${obstacle}`);
  return {
    resolve: {
      alias: [
        {
          find: /^\.\/runtime-command\.ts$/,
          replacement: fileURLToPath(new URL('test/ric/runtime-command.ts', import.meta.url)),
        },
      ],
    },
    test: {
      name: 'ric',
      include: obstacle === undefined ? SUITES.map((name) => `test/${name}.test.ts`) : [],
      passWithNoTests: true,
      globalSetup: 'test/support/stack/stack-setup.ts',
      testTimeout: 120_000,
      hookTimeout: 120_000,
      maxWorkers: 2,
      expect: { poll: { timeout: 8_000 } },
    },
  };
});
