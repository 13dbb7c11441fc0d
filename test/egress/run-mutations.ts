import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { mutations, type Mutation } from './mutations.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const COPIED = [
  'functions',
  'infra',
  'local',
  'shared',
  'test',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
  'docs',
  'cdk.json',
];
const LIMIT_MS = 120_000;
/** `npm run test:mutations -- guard` tries those alone whose file or text holds the word. */
const [word = ''] = process.argv.slice(2);
const chosen = mutations.filter(({ file, text }) => `${file} ${text}`.includes(word));

/** Takes out one safeguard after the other in a copy of the tree, and expects the test named for it to fail. */
const copy = await mkdtemp(join(tmpdir(), 'mutations-'));
try {
  for (const name of COPIED) await cp(join(root, name), join(copy, name), { recursive: true });
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  const survivors: string[] = [];
  for (const file of new Set(chosen.map(({ caughtBy }) => caughtBy))) {
    if (!(await passes(file))) survivors.push(`${file} is red without a mutation`);
  }
  for (const mutation of chosen) {
    const title = `${mutation.file}: ${mutation.text}`;
    const isCaught = await isCaughtBy(mutation);
    console.log(`${isCaught ? 'caught  ' : 'SURVIVED'} ${title}`);
    if (!isCaught) survivors.push(title);
  }
  console.log(survivors.length === 0 ? `All ${chosen.length} are caught.` : survivors.join('\n'));
  process.exitCode = survivors.length === 0 ? 0 : 1;
} finally {
  await rm(copy, { recursive: true });
}

async function isCaughtBy({ file, text, becomes, caughtBy }: Mutation): Promise<boolean> {
  const path = join(copy, file);
  const source = await readFile(path, 'utf8');
  if (!source.includes(text)) throw new Error(`${file} no longer holds: ${text}`);
  await writeFile(
    path,
    source.replaceAll(text, () => becomes),
  );
  try {
    return !(await passes(caughtBy));
  } finally {
    await writeFile(path, source);
  }
}

function passes(file: string): Promise<boolean> {
  const project = file.split('/')[1] ?? '';
  const command = ['node_modules/vitest/vitest.mjs', 'run', '--project', project, '--bail', '1', file];
  return run(process.execPath, command, { cwd: copy, timeout: LIMIT_MS }).then(
    () => true,
    () => false,
  );
}
