import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { expect, test } from 'vitest';

const eslint = new ESLint({
  // Type information takes seconds, and import rules do not need it.
  overrideConfig: [
    tseslint.configs.disableTypeChecked,
    { languageOptions: { parserOptions: { projectService: false } } },
  ],
});

/** Whether a file with this line breaks a rule about imports or the environment. */
async function isRefused(file: string, line: string): Promise<boolean> {
  const [result] = await eslint.lintText(line, { filePath: file });
  const rules = ['sitefetch/rooms', 'no-restricted-imports', 'no-restricted-properties'];
  expect(result?.fatalErrorCount).toBe(0);
  return result?.messages.some(({ ruleId }) => rules.includes(ruleId ?? '')) ?? false;
}

test.each([
  ['functions/jobs/get-job.ts', "import { consume } from '../worker/consume.ts';"],
  ['functions/jobs/handler.ts', "import { consume } from '../worker/consume.ts';"],
  ['functions/jobs/get-job.ts', "import { s3Results } from '../../shared/adapters/s3-results.ts';"],
  ['functions/jobs/get-job.ts', "import { S3Client } from '@aws-sdk/client-s3';"],
  ['functions/jobs/get-job.ts', "import { readEnv } from '../../shared/config.ts';"],
  ['functions/meta/operations.ts', "import { openGuard } from '../../shared/egress/guard.ts';"],
  ['functions/browser/render.ts', "import { s3Results } from '../../shared/adapters/s3-results.ts';"],
  ['shared/domain/credits/charge.ts', "import { openTrail } from '../../observe/trail.ts';"],
  ['shared/domain/credits/charge.ts', "import type { Trail } from '../../observe/trail.ts';"],
  ['shared/domain/credits/charge.ts', "export { openTrail } from '../../observe/trail.ts';"],
  ['shared/domain/credits/charge.ts', "await import('../../observe/trail.ts');"],
  ['shared/domain/credits/charge.ts', "import { getPage } from '../../use-cases/get-page.ts';"],
  ['shared/contract/job.ts', "import { isFinished } from '../domain/job/state.ts';"],
  ['shared/errors.ts', "import { ScrapeRequest } from './contract/scrape-request.ts';"],
  ['shared/contract/job.ts', "import { readFile } from 'node:fs/promises';"],
  ['shared/use-cases/get-page.ts', "import { clock } from '../adapters/clock.ts';"],
  ['shared/egress/guard.ts', "import { respond } from '../http/problem.ts';"],
  ['shared/api/jobs.ts', "import { json } from '../http/reply.ts';"],
  ['shared/http/reply.ts', "import { consume } from '../../functions/worker/consume.ts';"],
  ['shared/adapters/clock.ts', "import { stages } from '../../infra/stages.ts';"],
  ['shared/ports.ts', "import { startStack } from '../local/start-stack.ts';"],
  ['shared/gzip.ts', "import { clock } from './adapters/clock.ts';"],
  ['shared/gzip.ts', "import { reader } from '../test/support/reader.ts';"],
  ['infra/app.ts', "import { startStack } from '../local/start-stack.ts';"],
  ['local/main.ts', "import { consume } from '../functions/worker/consume.ts';"],
  ['shared/http/reply.ts', "import { env } from 'node:process';"],
  ['local/main.ts', "import process from 'process';"],
  ['bench/main.ts', "import * as own from 'node:process';"],
  ['local/main.ts', 'export const { PORT } = process.env;'],
  ['local/main.ts', 'export const { env } = process;'],
  ['local/main.ts', 'export const { PORT } = globalThis.process.env;'],
])('%s must not contain: %s', async (file, line) => {
  expect(await isRefused(file, line)).toBe(true);
});

test.each([
  ['functions/jobs/get-job.ts', "import { isFinished } from '../../shared/domain/job/state.ts';"],
  ['functions/jobs/handler.ts', "import { S3Client } from '@aws-sdk/client-s3';"],
  ['functions/worker/handler.ts', "import { consume } from './consume.ts';"],
  ['functions/browser/render.ts', "import { openGuard } from '../../shared/egress/guard.ts';"],
  ['shared/contract/job.ts', "import { z } from 'zod';"],
  ['shared/http/call.ts', "import { routes } from '../api/routes.ts';"],
  ['shared/adapters/clock.ts', "import { openGuard } from '../egress/guard.ts';"],
  ['shared/config.ts', 'export const { PORT } = process.env;'],
  ['functions/browser/isolate/launch-chromium.ts', "import { kill } from 'node:process';"],
  ['test/unit/job.test.ts', "import { consume } from '../../functions/worker/consume.ts';"],
])('%s may contain: %s', async (file, line) => {
  expect(await isRefused(file, line)).toBe(false);
});
