import type { Environment } from '../../../shared/config.ts';
import type { EgressPolicy } from '../../../shared/egress/decide.ts';
import type { Log } from '../../../shared/observe/log.ts';
import type { Count } from '../../../shared/ports/effects.ts';
import { assertSealed } from './assert-sealed.ts';
import { isolates, type Isolates } from './isolates.ts';
import { INIT_DEADLINE_MS, proveStart } from './prove-start.ts';
import { sweepProfiles } from './sweep-profiles.ts';

/** After a slow start the first scrape launches its browser, so that the init ends in time. */
const MAX_BEFORE_WARM_MS = 5_000;

/** Prepares the environment, and launches its first browser. */
export async function startIsolates(
  { CHROMIUM_DIR: chromiumDir, BROWSER_PROCESSES: wanted, AWS_LAMBDA_RUNTIME_API }: Environment<'browser'>,
  policy: EgressPolicy,
  { log, count }: { log: Log; count: Count },
): Promise<Isolates> {
  await assertSealed(policy, AWS_LAMBDA_RUNTIME_API);
  await sweepProfiles();
  const processes = await proveStart({ chromiumDir, wanted, log, count });
  const started = isolates({ chromiumDir, policy, processes });
  // Awaited: a launch that is frozen halfway times out when it thaws.
  const usedMs = performance.now();
  if (usedMs < MAX_BEFORE_WARM_MS) await started.keepWarm(Math.round(INIT_DEADLINE_MS - usedMs));
  return started;
}
