import { once } from 'node:events';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { exit } from 'node:process';
import type { Writable } from 'node:stream';
import type { Isolates } from './launch/isolates.ts';
import type { Log } from '../../shared/observe/log.ts';
import { openTrail } from '../../shared/observe/trail.ts';
import type { Count } from '../../shared/ports/effects.ts';
import { serveRender } from './serve-render.ts';

export type Lifetime = {
  scrapes: number;
  kills: number;
  freeBytes: number;
};

type Needs = { isolates: Isolates; log: Log; count: Count };

const LIFETIME: Lifetime = {
  // Ends any lasting compromise; a cold start in 500 scrapes costs each a few milliseconds.
  scrapes: 500,
  // A killed browser's children stay as zombies, and Lambda allows 1,024 processes and threads.
  kills: 50,
  // Shared memory is in /tmp: https://peter.sh/experiments/chromium-command-line-switches/#disable-dev-shm-usage
  freeBytes: 268_435_456,
};

/** Serves until the environment is spent or its browser fails, then exits. The next one sweeps /tmp. */
export function serveUntilSpent({ isolates, log, count }: Needs, lifetime = LIFETIME) {
  let scrapes = 0;
  let kills = 0;
  return async (event: unknown, stream: Writable): Promise<void> => {
    // Closes once the Runtime API has received the whole response.
    const acknowledged = once(stream, 'close').catch(() => undefined);
    const trail = openTrail();
    scrapes += 1;
    try {
      const { wasKilled } = await serveRender(isolates, event, stream, trail);
      if (wasKilled) kills += 1;
      const free = await freeBytes();
      count('TmpFree', free);
      if (scrapes < lifetime.scrapes && kills < lifetime.kills && free >= lifetime.freeBytes) {
        trail.enter('relaunch');
        if (await isolates.keepWarm()) return;
      }
    } catch (error) {
      trail.fail(error);
    } finally {
      trail.write(log, 'render');
    }
    await acknowledged;
    exit(0);
  };
}

async function freeBytes(): Promise<number> {
  const { bavail, bsize } = await statfs(tmpdir());
  return bavail * bsize;
}
