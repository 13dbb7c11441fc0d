import { once } from 'node:events';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { exit } from 'node:process';
import type { Writable } from 'node:stream';
import type { Isolates } from './isolate/isolates.ts';
import type { Log } from '../../shared/observe/log.ts';
import { openTrail } from '../../shared/observe/trail.ts';
import type { Count } from '../../shared/ports.ts';
import { serveRender } from './serve-render.ts';

/** How long an execution environment is good for. */
export type Lifetime = {
  scrapes: number;
  /** Free bytes in /tmp, below which it is over. */
  freeBytes: number;
};

type Needs = { isolates: Isolates; log: Log; count: Count };

const LIFETIME: Lifetime = {
  // Whatever got hold of it is rid of by then, and a cold start in 500 scrapes costs each of them a few milliseconds.
  scrapes: 500,
  // A page's shared memory is in /tmp: https://peter.sh/experiments/chromium-command-line-switches/#disable-dev-shm-usage
  freeBytes: 268_435_456,
};

/**
 * Serves requests until the environment is spent, or has a browser in it that cannot be killed, and then ends the
 * process. Lambda puts a new one in its place, which sweeps /tmp.
 */
export function serveUntilSpent({ isolates, log, count }: Needs, lifetime = LIFETIME) {
  let scrapes = 0;
  return async (event: unknown, stream: Writable): Promise<void> => {
    // Said by the Runtime API, once it has all of the answer.
    const acknowledged = once(stream, 'close').catch(() => undefined);
    const trail = openTrail();
    scrapes += 1;
    try {
      await serveRender(isolates, event, stream, trail);
      const free = await freeBytes();
      count('TmpFree', free);
      if (scrapes < lifetime.scrapes && free >= lifetime.freeBytes) {
        trail.enter('relaunch');
        await isolates.keepWarm();
        return;
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
