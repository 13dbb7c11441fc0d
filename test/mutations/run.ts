import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Mutation, readMutations } from './read-mutations.ts';

/** Full names of the tests, and whether an uncaught error ended the run. Undefined without a report. */
type Verdict = { passed: string[]; failed: string[]; hasCrashed: boolean } | undefined;

const root = fileURLToPath(new URL('../../', import.meta.url));
const COPIED = ['clients', 'functions', 'infra', 'local', 'shared', 'test', 'docs', 'cdk.json'];
const SETTINGS = ['package.json', 'tsconfig.json', 'vitest.config.ts'];
const LIMIT_MS = 300_000;
/** A test that waits for a removed safeguard fails sooner. */
const CASE_LIMIT_MS = '20000';

/** `npm run test:mutations -- guard` tries only mutations whose file or text contains the word. */
const [word = ''] = process.argv.slice(2);
const chosen = readMutations().filter(({ file, text, test }) => `${file} ${text} ${test}`.includes(word));
if (chosen.length === 0) throw new Error(`No mutation contains "${word}".`);

/** Removes one safeguard after the other in a copy of the tree, and expects its test to fail. */
const copy = await mkdtemp(join(tmpdir(), 'mutations-'));
try {
  for (const name of [...COPIED, ...SETTINGS])
    await cp(join(root, name), join(copy, name), { recursive: true });
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  const missed: string[] = [];
  const report = (line: string, isGood: boolean) => {
    console.log(`${isGood ? 'caught' : 'MISSED'}  ${line}`);
    if (!isGood) missed.push(line);
  };
  for (const test of new Set(chosen.map((mutation) => mutation.test))) {
    const cases = chosen.filter((mutation) => mutation.test === test).map((mutation) => mutation.case);
    for (const title of await notGreen(test, cases))
      report(`${test}: "${title}" is not green by itself`, false);
  }
  for (const mutation of chosen) {
    report(`${mutation.file}: ${mutation.text.trim()} -> ${mutation.case}`, await isCaught(mutation));
  }
  console.log(missed.length === 0 ? `All ${chosen.length} are caught.` : missed.join('\n'));
  process.exitCode = missed.length === 0 ? 0 : 1;
} finally {
  await rm(copy, { recursive: true });
}

async function notGreen(test: string, cases: string[]): Promise<string[]> {
  const verdict = await run(test);
  return cases.filter((title) => !verdict?.passed.some((name) => name.includes(title)));
}

async function isCaught({ file, text, becomes, test, case: title }: Mutation): Promise<boolean> {
  const path = join(copy, file);
  const source = await readFile(path, 'utf8');
  if (!source.includes(text)) return false;
  await writeFile(
    path,
    source.replaceAll(text, () => becomes),
  );
  try {
    const verdict = await run(test, title);
    return (
      verdict !== undefined && (verdict.hasCrashed || verdict.failed.some((name) => name.includes(title)))
    );
  } finally {
    await writeFile(path, source);
  }
}

async function run(test: string, title?: string): Promise<Verdict> {
  const project = test.split('/')[1] ?? '';
  const written = join(copy, 'verdict.json');
  const json = ['--reporter=json', `--outputFile=${written}`];
  const only = title === undefined ? [] : ['-t', escaped(title), '--testTimeout', CASE_LIMIT_MS];
  await rm(written, { force: true });
  const isGreen = await new Promise<boolean>((resolve) => {
    const command = ['node_modules/vitest/vitest.mjs', 'run', '--project', project, ...json, ...only, test];
    execFile(process.execPath, command, { cwd: copy, timeout: LIMIT_MS }, (error) => resolve(!error));
  });
  return readFile(written, 'utf8').then(
    (text) => verdictOf(text, isGreen),
    () => undefined,
  );
}

function verdictOf(written: string, isGreen: boolean): Verdict {
  const { testResults } = JSON.parse(written) as {
    testResults: { assertionResults: { fullName: string; status: string }[] }[];
  };
  const cases = testResults.flatMap(({ assertionResults }) => assertionResults);
  const named = (status: string) =>
    cases.filter((one) => one.status === status).map(({ fullName }) => fullName);
  const [passed, failed] = [named('passed'), named('failed')];
  return { passed, failed, hasCrashed: !isGreen && failed.length === 0 && passed.length > 0 };
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
