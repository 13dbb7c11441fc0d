import { mkdir, open, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Sitefetch } from '../../typescript/src/sitefetch.ts';
import { UsageError } from './usage-error.ts';

/** Of the environment, what the command line reads. */
export type Environment = Readonly<Record<string, string | undefined>>;

export type Settings = { url: string; key: string };

/** The environment of this process. */
export const environment = (): Environment => process.env;

/** https://specifications.freedesktop.org/basedir-spec/latest/ */
export const settingsFile = ({ XDG_CONFIG_HOME, HOME = homedir() }: Environment): string =>
  join(XDG_CONFIG_HOME || join(HOME, '.config'), 'sitefetch', 'settings.json');

/** The service and key of the environment, or else of `sitefetch login`. Throws a `UsageError`. */
export async function readSettings(env: Environment): Promise<Settings> {
  const { SITEFETCH_URL, SITEFETCH_KEY } = env;
  const saved = SITEFETCH_URL && SITEFETCH_KEY ? {} : await readSaved(settingsFile(env));
  const [url, key] = [SITEFETCH_URL ?? saved.url, SITEFETCH_KEY ?? saved.key];
  if (url && key) return { url, key };
  throw new UsageError('Set SITEFETCH_URL and SITEFETCH_KEY, or run: sitefetch login');
}

async function readSaved(file: string): Promise<Partial<Settings>> {
  try {
    const saved = JSON.parse(await readFile(file, 'utf8')) as Partial<Settings> | null;
    return saved ?? {};
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return {};
    throw new UsageError(`${file} cannot be read: ${message}. Write it again with: sitefetch login`);
  }
}

/** Only its owner can read the file, whatever its mode was before. */
export async function saveSettings(env: Environment, settings: Settings): Promise<string> {
  const file = settingsFile(env);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await using saved = await open(file, 'w', OWNER_ONLY);
  await saved.chmod(OWNER_ONLY);
  await saved.writeFile(`${JSON.stringify(settings, null, 2)}\n`);
  return file;
}

const OWNER_ONLY = 0o600;

/** Nobody calls it again for them: a command tries longer than a program. */
const RETRIES = 5;

export const clientOf = ({ url, key }: Settings, timeoutMs?: number): Sitefetch =>
  new Sitefetch({ baseUrl: url, apiKey: key, retries: RETRIES, timeoutMs });
