import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kill, pid } from 'node:process';

/** Only what bears this prefix is ever swept, and only when its owner, whose id follows, is gone. */
const PREFIX = 'sitefetch-profile-';
const OWNED = new RegExp(`^${PREFIX}(\\d+)-`);

type Profile = { path: string; env: Record<string, string> };

/** A fresh home for one browser: profile, HOME and temporary files in one folder, so that one removal gets them all. */
export async function createProfile(chromiumDir: string): Promise<Profile> {
  const path = await mkdtemp(join(tmpdir(), `${PREFIX}${pid}-`));
  const temporary = join(path, 'tmp');
  await mkdir(temporary);
  // All that the browser gets to see: a renderer can read /proc/<pid>/environ.
  const env = {
    HOME: path,
    // The same wherever it runs, and no hint at where that is.
    TZ: 'UTC',
    TMPDIR: temporary,
    LD_LIBRARY_PATH: join(chromiumDir, 'lib'),
    FONTCONFIG_PATH: chromiumDir,
    // Chromium sets these while its other threads read the environment, which now and then crashes a launch. Where they
    // are there already, nothing is moved under a reader: https://man7.org/linux/man-pages/man3/setenv.3.html#ATTRIBUTES
    DBUS_SESSION_BUS_ADDRESS: 'disabled:',
    FC_FONTATIONS: '1',
    VK_ICD_FILENAMES: join(chromiumDir, 'vk_swiftshader_icd.json'),
  };
  return { path, env };
}

/** Dying processes may still write into it, hence the retries. */
export async function removeProfile(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
}

/** Removes the profiles that processes left behind which were killed before they could. To be called before there is one of ours. */
export async function sweepProfiles(): Promise<void> {
  const orphans = (await readdir(tmpdir())).filter((name) => {
    const owner = OWNED.exec(name)?.[1];
    // A restarted environment keeps /tmp, and counts its processes anew.
    return owner !== undefined && (Number(owner) === pid || !isRunning(Number(owner)));
  });
  await Promise.all(orphans.map((name) => removeProfile(join(tmpdir(), name))));
}

function isRunning(owner: number): boolean {
  try {
    return kill(owner, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
