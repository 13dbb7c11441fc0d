import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const NAME = 'aws-lambda-ric';
const VERSION = '4.0.2';
const FOLDER = fileURLToPath(new URL(`../../.cache/${NAME}-${VERSION}/`, import.meta.url));
const BUILD_MS = 10 * 60_000;

/** Main file of Lambda's runtime interface client for Node.js, in `.cache/`. */
export const CLIENT = join(FOLDER, 'node_modules', NAME, 'index.mjs');

/** Installs and builds it once. Returns the reason if it cannot: it needs cmake, g++, make and tar. */
export async function installClient(): Promise<string | undefined> {
  if (existsSync(join(CLIENT, '../rapid-client.node'))) return undefined;
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const manifest = { private: true, dependencies: { [NAME]: VERSION }, allowScripts: { [NAME]: true } };
  await writeFile(join(FOLDER, 'package.json'), JSON.stringify(manifest));
  const options = { cwd: FOLDER, timeout: BUILD_MS };
  try {
    await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund'], options);
  } catch (error) {
    await rm(FOLDER, { recursive: true, force: true });
    return String((error as { stderr?: string }).stderr ?? error)
      .trim()
      .split('\n')
      .slice(-5)
      .join('\n');
  }
  return existsSync(join(CLIENT, '../rapid-client.node')) ? undefined : 'npm did not run its build.';
}
