import type { EgressPolicy } from '../../../shared/egress/decide.ts';
import type { Log } from '../../../shared/observe/log.ts';
import type { Count } from '../../../shared/ports/effects.ts';
import { assertSealed } from './assert-sealed.ts';
import type { Processes } from './chromium-flags.ts';
import { isolates, type Isolates } from './isolates.ts';
import { INIT_DEADLINE_MS, proveStart } from './prove-start.ts';
import { sweepProfiles } from './sweep-profiles.ts';

/** After a slow start the first scrape launches its browser, so that the init ends in time. */
const MAX_BEFORE_WARM_MS = 5_000;

type Options = {
  policy: EgressPolicy;
  chromiumDir: string;
  wanted: Processes;
  runtimeApi: string | undefined;
  log: Log;
  count: Count;
};

/** Prepares the environment, and launches its first browser. */
export async function startIsolates({
  policy,
  chromiumDir,
  runtimeApi,
  ...options
}: Options): Promise<Isolates> {
  await assertSealed(policy, runtimeApi);
  await sweepProfiles();
  const processes = await proveStart({ chromiumDir, ...options });
  const started = isolates({ chromiumDir, policy, processes });
  // Awaited: a launch that is frozen halfway times out when it thaws.
  const usedMs = performance.now();
  if (usedMs < MAX_BEFORE_WARM_MS) await started.keepWarm(Math.round(INIT_DEADLINE_MS - usedMs));
  return started;
}
