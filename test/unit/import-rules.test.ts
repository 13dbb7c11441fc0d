import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A file of the repository, and a line in it. */
type Case = [file: string, line: string];

const REFUSED: Case[] = [
  ['functions/jobs/get-job.ts', "import { consume } from '../worker/consume.ts';"],
  ['functions/jobs/handler.ts', "import { consume } from '../worker/consume.ts';"],
  ['functions/jobs/get-job.ts', "import { s3Results } from '../../shared/adapters/s3-results.ts';"],
  ['functions/jobs/get-job.ts', "import { S3Client } from '@aws-sdk/client-s3';"],
  ['functions/jobs/get-job.ts', "import { readEnv } from '../../shared/config.ts';"],
  ['functions/meta/operations.ts', "import { openGuard } from '../../shared/egress/guard.ts';"],
  ['functions/browser/render.ts', "import { s3Results } from '../../shared/adapters/s3-results.ts';"],
  ['shared/domain/accounts/credits/charge.ts', "import { openTrail } from '../../../observe/trail.ts';"],
  ['shared/domain/accounts/credits/charge.ts', "import type { Trail } from '../../../observe/trail.ts';"],
  ['shared/domain/accounts/credits/charge.ts', "export { openTrail } from '../../../observe/trail.ts';"],
  ['shared/domain/accounts/credits/charge.ts', "await import('../../../observe/trail.ts');"],
  [
    'shared/domain/accounts/credits/charge.ts',
    "import { getPage } from '../../../use-cases/scrape/get-page.ts';",
  ],
  ['shared/contract/jobs/job.ts', "import { isFinished } from '../../domain/jobs/state.ts';"],
  ['shared/errors.ts', "import { ScrapeRequest } from './contract/scrape/scrape-request.ts';"],
  ['shared/contract/jobs/job.ts', "import { readFile } from 'node:fs/promises';"],
  ['shared/use-cases/scrape/get-page.ts', "import { clock } from '../../adapters/clock.ts';"],
  ['shared/egress/guard.ts', "import { respond } from '../http/problem.ts';"],
  ['shared/api/jobs.ts', "import { json } from '../http/reply.ts';"],
  ['shared/http/reply.ts', "import { consume } from '../../functions/worker/consume.ts';"],
  ['shared/adapters/clock.ts', "import { stages } from '../../infra/stages.ts';"],
  ['shared/ports/effects.ts', "import { startStack } from '../../local/start-stack.ts';"],
  ['shared/gzip.ts', "import { clock } from './adapters/clock.ts';"],
  ['shared/gzip.ts', "import { reader } from '../test/support/stack/reader.ts';"],
  ['infra/app.ts', "import { startStack } from '../local/start-stack.ts';"],
  ['clients/typescript/src/jobs.ts', "import { json } from '../../../shared/http/reply.ts';"],
  ['clients/typescript/src/jobs.ts', "import { setTimeout } from 'node:timers/promises';"],
  ['clients/cli/src/help.ts', "import { linesOf } from '../../typescript/src/calls.ts';"],
  ['clients/cli/src/help.ts', "import { parse } from 'yaml';"],
  ['local/main.ts', "import { consume } from '../functions/worker/consume.ts';"],
  ['shared/http/reply.ts', "import { env } from 'node:process';"],
  ['local/main.ts', "import process from 'process';"],
  ['bench/main.ts', "import * as own from 'node:process';"],
  ['local/main.ts', 'export const { PORT } = process.env;'],
  ['local/main.ts', 'export const { env } = process;'],
  ['local/main.ts', 'export const { PORT } = globalThis.process.env;'],
  ['shared/contract/receipt.ts', 'export type Receipt = string;'],
  ['shared/contract/receipts/receipt.ts', 'export type Receipt = string;'],
  ['shared/domain/credits/price.ts', 'export const price = 1;'],
  ['shared/domain/jobs.ts', 'export const job = 1;'],
  ['shared/use-cases/find-receipt.ts', 'export const findReceipt = 1;'],
  ['shared/ports/receipts.ts', 'export type Receipts = string;'],
  ['shared/adapters/dynamodb/receipt-item.ts', 'export const receipt = 1;'],
];

const ALLOWED: Case[] = [
  ['shared/contract/jobs/receipt.ts', 'export type Receipt = string;'],
  ['shared/domain/accounts/credits/price.ts', 'export const price = 1;'],
  ['shared/ports/accounts.ts', 'export type Receipts = string;'],
  ['shared/adapters/dynamodb/usage/receipt-item.ts', 'export const receipt = 1;'],
  ['functions/jobs/get-job.ts', "import { isFinished } from '../../shared/domain/jobs/state.ts';"],
  ['functions/jobs/handler.ts', "import { S3Client } from '@aws-sdk/client-s3';"],
  ['functions/worker/handler.ts', "import { consume } from './consume.ts';"],
  ['functions/browser/render.ts', "import { openGuard } from '../../shared/egress/guard.ts';"],
  ['shared/contract/jobs/job.ts', "import { z } from 'zod';"],
  ['shared/http/call.ts', "import { routes } from '../api/routes.ts';"],
  ['shared/adapters/clock.ts', "import { openGuard } from '../egress/guard.ts';"],
  ['clients/typescript/src/jobs.ts', "import { Page } from './page.ts';"],
  ['clients/cli/src/help.ts', "import { Page } from '../../typescript/src/sitefetch.ts';"],
  ['clients/cli/src/settings.ts', 'export const { PORT } = process.env;'],
  ['shared/config.ts', 'export const { PORT } = process.env;'],
  ['functions/browser/launch/launch-chromium.ts', "import { kill } from 'node:process';"],
  ['test/unit/job.test.ts', "import { consume } from '../../functions/worker/consume.ts';"],
];

const RULES = /^(sitefetch\((rooms|features)\)|eslint\(no-restricted-(imports|properties)\))$/;

type Report = { diagnostics: { code: string; filename: string }[] };

let refusals: Case[];
beforeAll(async () => {
  const seen: Record<string, number> = {};
  const ordinal = ([file]: Case) => (seen[file] = (seen[file] ?? 0) + 1);
  // One repository per case of the same file, because a repository has only one file of a name.
  const repositories = Object.values(Object.groupBy([...REFUSED, ...ALLOWED], ordinal));
  refusals = (await Promise.all(repositories.map((cases = []) => refusedOf(cases)))).flat();
});

async function refusedOf(cases: Case[]): Promise<Case[]> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'import-rules-'));
  const within = (path: string) => join(folder.path, path);
  // Type information takes seconds, and import rules do not need it.
  const config = JSON.parse(await readFile(join(ROOT, '.oxlintrc.json'), 'utf8')) as object;
  await writeFile(within('.oxlintrc.json'), JSON.stringify({ ...config, options: {} }));
  await cp(join(ROOT, 'lint-rules.js'), within('lint-rules.js'));
  for (const room of ['functions', 'shared'])
    for (const name of await readdir(join(ROOT, room)))
      if (!name.includes('.')) await mkdir(within(`${room}/${name}`), { recursive: true });
  for (const [file, line] of cases) {
    await mkdir(dirname(within(file)), { recursive: true });
    await writeFile(within(file), line);
  }
  const { diagnostics } = JSON.parse(await lint(folder.path)) as Report;
  const refused = diagnostics.filter(({ code }) => RULES.test(code)).map(({ filename }) => filename);
  return cases.filter(([file]) => refused.includes(file));
}

/** The linter exits with 1 if it finds anything. */
function lint(cwd: string): Promise<string> {
  const oxlint = join(ROOT, 'node_modules/oxlint/bin/oxlint');
  return promisify(execFile)(process.execPath, [oxlint, '--format', 'json'], { cwd }).then(
    ({ stdout }) => stdout,
    (error: unknown) => (error as { stdout: string }).stdout,
  );
}

test.each(REFUSED)('%s must not contain: %s', (...it) => {
  expect(refusals).toContainEqual(it);
});

test.each(ALLOWED)('%s may contain: %s', (...it) => {
  expect(refusals).not.toContainEqual(it);
});
