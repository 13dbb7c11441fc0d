import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LEFT_OUT } from './test/firecrawl/left-out.ts';

const MINUTE = 60_000;

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
/** A name as Vitest matches it: with its suite before it. */
const escaped = Object.keys(LEFT_OUT).map((name) =>
  name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replace(' e2e ', ' e2e(?: > | )'),
);

/** The end-to-end tests of Firecrawl's SDK, of which npm run test:firecrawl makes this copy. */
const sdk = {
  root: path('.cache/firecrawl/sdk'),
  resolve: { alias: { '@jest/globals': fileURLToPath(import.meta.resolve('vitest')) } },
  test: { name: 'firecrawl', include: ['src/__tests__/e2e/v2/*.test.ts'] },
};

/** Programs that users run. */
const clients = {
  test: { name: 'firecrawl-clients', include: ['test/firecrawl/*.test.ts'], testTimeout: 3 * MINUTE },
};

export default defineConfig({
  test: {
    projects: [sdk, clients],
    testNamePattern: new RegExp(`^(?!(?:${escaped.join('|')})$)`),
    fileParallelism: false,
    reporters: ['default', ['json', { outputFile: path('.cache/firecrawl/report.json') }]],
  },
});
