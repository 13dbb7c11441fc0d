import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readLocalEnv } from '../../../shared/local-config.ts';

export const runbook = await readFile(new URL('../../../docs/runbook.md', import.meta.url), 'utf8');

/** The blocks of commands in the runbook. */
export const blocks = [...runbook.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, commands = '']) => commands);

const cwd = fileURLToPath(new URL('../../..', import.meta.url));

/** Runs a script at the root of the repository. */
export const bash = (script: string, variables: Record<string, string>) =>
  promisify(execFile)('bash', ['-c', script], { cwd, env: { PATH: readLocalEnv().path, ...variables } });
