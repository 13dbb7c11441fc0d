import type { Chunk } from '../../../shared/contract/batches/chunk.ts';
import {
  type Admittance,
  forgottenAt,
  leavePlace,
  LONGEST_WAIT_MS,
  type Met,
  prospectAt,
  takePlace,
  type Visit,
} from '../../../shared/domain/crawls/host-places.ts';
import type { TargetHost } from '../../../shared/contract/crawls/target-host.ts';
import type { Effects } from '../../../shared/ports/effects.ts';

export type HostNeeds = Pick<Effects, 'targetHosts' | 'now' | 'wait'>;

/** A place of a chunk at its host. */
export type HeldPlace = {
  /** Waits until the next request may begin. False if that is too long, or another worker was refused. */
  mayStart: () => Promise<boolean>;
  /** Notes that a request begins. */
  started: () => void;
  /**
   * Frees the place, once. Returns when the host may be requested next, if that is not at once, and whether
   * it is given up. Never throws: a place that could not be freed lapses.
   */
  leave: (met?: Omit<Met, 'lastStart'>) => Promise<Prospect>;
};

export type Prospect = { isGivenUp: boolean; notBefore?: Date };

/** Other crawls may change the host at the same time. */
const MAX_TRIES = 8;
const LOOK_MS = 1_000;

type Crawled = { host: string; visit: Visit };

/** Takes a place at the host of a chunk, or says why there is none. */
export async function visitHost(
  fx: HostNeeds,
  chunk: Chunk & { crawl: NonNullable<Chunk['crawl']> },
  { until, hostConcurrency }: { until: Date; hostConcurrency: number },
): Promise<HeldPlace | Exclude<Admittance, { outcome: 'taken' }>> {
  const { id: crawlId, host, concurrency, delay } = chunk.crawl;
  const placeId = `${chunk.id}~${chunk.fencingToken + 1}`;
  const visit = { crawlId, placeId, until: until.getTime(), concurrency, delay, hostConcurrency };
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const now = fx.now().getTime();
    const before = await fx.targetHosts.find(host);
    const admittance = takePlace(before, host, visit, now);
    if (admittance.outcome !== 'taken') return admittance;
    const { after, startAt } = admittance;
    if (await fx.targetHosts.replace(before, after, forgottenAt(now)))
      return held(fx, { host, visit }, startAt);
  }
  return { outcome: 'full', isOwn: false };
}

function held(fx: HostNeeds, crawled: Crawled, startAt: number): HeldPlace {
  const { delay = 0 } = crawled.visit;
  const isPaused = pauseWatch(fx, crawled);
  let nextAt = startAt;
  let lastStart: number | undefined;
  let left: Promise<Prospect> | undefined;
  return {
    mayStart: async () => {
      const ms = nextAt - fx.now().getTime();
      if (ms > LONGEST_WAIT_MS) return false;
      if (ms > 0) await fx.wait(ms);
      return !(await isPaused());
    },
    started: () => {
      lastStart = fx.now().getTime();
      nextAt = lastStart + delay;
    },
    leave: (met = { hasAnswered: false }) => (left ??= leave(fx, crawled, { ...met, lastStart })),
  };
}

/** Says whether another worker of the crawl was refused. Reads the host at most once a second. */
function pauseWatch({ targetHosts, now }: HostNeeds, { host, visit }: Crawled): () => Promise<boolean> {
  let readAt = now().getTime();
  return async () => {
    const time = now().getTime();
    if (visit.concurrency === 1 || visit.delay || time - readAt < LOOK_MS) return false;
    readAt = time;
    // After a fault, the next look decides.
    const found = await targetHosts.find(host).catch(() => undefined);
    return found !== undefined && prospectAt(found, visit.crawlId).at > now().getTime();
  };
}

async function leave(fx: HostNeeds, { host, visit }: Crawled, met: Met): Promise<Prospect> {
  const now = fx.now().getTime();
  let after: TargetHost | undefined;
  try {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const before = await fx.targetHosts.find(host);
      after = leavePlace(before, host, visit, met, now);
      if (await fx.targetHosts.replace(before, after, forgottenAt(now))) break;
    }
  } catch {
    // What was learned is lost, and the place is held until it lapses.
  }
  if (after === undefined) return { isGivenUp: false };
  const { isGivenUp, at } = prospectAt(after, visit.crawlId);
  return { isGivenUp, ...(at > now && { notBefore: new Date(at) }) };
}
