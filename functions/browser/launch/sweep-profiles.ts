import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kill, pid } from 'node:process';
import { PREFIX, removeProfile } from './create-profile.ts';

const OWNED = new RegExp(`^${PREFIX}(\\d+)-`);

/** Removes profiles of processes that were killed. Call it before the first launch. */
export async function sweepProfiles(): Promise<void> {
  const orphans = (await readdir(tmpdir())).filter((name) => {
    const owner = OWNED.exec(name)?.[1];
    // A restarted environment keeps /tmp but may reuse this process id.
    return owner !== undefined && (Number(owner) === pid || !isRunning(Number(owner)));
  });
  await Promise.all(orphans.map((name) => removeProfile(join(tmpdir(), name))));
}

function isRunning(owner: number): boolean {
  try {
    return kill(owner, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
