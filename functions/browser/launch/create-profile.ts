import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pid } from 'node:process';

/** The owner's process id follows; only profiles whose owner is gone are swept. */
export const PREFIX = 'sitefetch-profile-';

type Profile = { path: string; env: Record<string, string> };

/** One folder holds profile, HOME and temporary files, so that one removal deletes all. */
export async function createProfile(chromiumDir: string): Promise<Profile> {
  const path = await mkdtemp(join(tmpdir(), `${PREFIX}${pid}-`));
  const temporary = join(path, 'tmp');
  await mkdir(temporary);
  // Pages may read these: a renderer has access to /proc/<pid>/environ.
  const env = {
    HOME: path,
    TZ: 'UTC',
    TMPDIR: temporary,
    LD_LIBRARY_PATH: join(chromiumDir, 'lib'),
    FONTCONFIG_PATH: chromiumDir,
    // Chromium sets these while other threads read them: https://man7.org/linux/man-pages/man3/setenv.3.html#ATTRIBUTES
    DBUS_SESSION_BUS_ADDRESS: 'disabled:',
    FC_FONTATIONS: '1',
    // ANGLE first tries the drivers of the machine, of which there are none, then brings its own.
    VK_ICD_FILENAMES: '/dev/null',
  };
  return { path, env };
}

/** Retries because dying processes may still write into it. */
export async function removeProfile(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
}
