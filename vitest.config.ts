import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** The client of plain scrapes trusts no authority by default, which saves parsing the system's list. */
const TRUSTING_NOBODY = { SSL_CERT_FILE: '/dev/null', SSL_CERT_DIR: '/nonexistent' };

/** Compiled code is kept, for dozens of processes load the same. */
const NODE_COMPILE_CACHE = fileURLToPath(new URL('.cache/compiled', import.meta.url));
enableCompileCache(NODE_COMPILE_CACHE);

/** They mostly wait, and need nothing of the stack that others share and that starts meanwhile. */
const FIRST = /test\/(stack\/start|browser\/(settled|waits|tall-pages)|cage\/browser-function)\.test\.ts$/;

/** Of tests that `npm test` leaves out, for they take long. */
export const SOAK = { name: 'soak', description: 'Only in npm run test:soak, or by its file.' };

/** The layers with long files first: short ones at the end leave no process without work. */
const LAYERS = ['stack', 'browser', 'cage', 'infra', 'egress', 'contract', 'functional', 'unit'];

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId, project }: TestSpecification) =>
      FIRST.test(moduleId) ? -1 : LAYERS.indexOf(project.name);
    return sorted.sort((one, other) => rank(one) - rank(other));
  }
}

/** One project a layer, cheapest first: `npx vitest run --project unit`. */
function layer(
  name: string,
  testTimeout: number,
  { env, ...more }: { globalSetup?: string; env?: Record<string, string> } = {},
) {
  return {
    test: {
      name,
      include: [`test/${name}/**/*.test.ts`],
      testTimeout,
      // Files share their imports: loading zod, the AWS SDK and aws-cdk-lib takes as long as the tests.
      isolate: false,
      // Node runs TypeScript itself, and keeps it compiled. Vite would transform it for each process.
      experimental: { viteModuleRunner: false, nodeLoader: false },
      hookTimeout: 2 * MINUTE,
      // Polling allows for a busy machine.
      expect: { poll: { timeout: 8 * SECOND } },
      env: { NODE_COMPILE_CACHE, ...env },
      ...more,
    },
  };
}

declare module 'vitest' {
  /** In how many processes the tests' Chromium runs: `vitest --mode many` for many. */
  // oxlint-disable-next-line typescript/consistent-type-definitions -- merged with Vitest's own
  export interface ProvidedContext {
    processes: 'one' | 'many';
    /** How much of an exhaustive suite runs. */
    extent: 'some' | 'all';
  }
}

export default defineConfig(({ mode }) => ({
  test: {
    provide: { processes: mode === 'many' ? 'many' : 'one', extent: 'some' },
    maxWorkers: 3,
    tags: [SOAK],
    sequence: { sequencer: LongFirst },
    projects: [
      layer('unit', 30 * SECOND),
      layer('functional', MINUTE, { env: TRUSTING_NOBODY }),
      layer('contract', MINUTE),
      layer('egress', MINUTE, { env: TRUSTING_NOBODY }),
      layer('infra', 2 * MINUTE),
      layer('browser', MINUTE),
      layer('cage', MINUTE),
      layer('stack', 2 * MINUTE, { globalSetup: 'test/support/stack/stack-setup.ts' }),
    ],
  },
}));
