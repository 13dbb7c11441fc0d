import { afterAll, beforeAll, describe } from 'vitest';
import type { AccountEffects } from '../../../shared/ports/accounts.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import { inMemoryAccounts } from './in-memory-accounts.ts';
import { emulatedWorld, type EmulatedWorld } from './emulated-world.ts';
import { inMemoryBatches } from './in-memory-batches.ts';
import { inMemoryCrawls, inMemoryTargetHosts } from './in-memory-crawls.ts';
import { inMemoryChunks, inMemoryUploads } from './in-memory-uploads.ts';
import { inMemoryPeople, inMemoryVisits } from './in-memory-people.ts';
import { inMemoryDeliveries, inMemoryReceivers, inMemoryWebhooks } from './in-memory-webhooks.ts';
import {
  inMemoryJobs,
  inMemoryLadder,
  inMemoryPageCache,
  inMemoryQueue,
  inMemoryResults,
} from './in-memory-world.ts';

type Storage = Pick<
  Effects,
  | 'activity'
  | 'ladderMemory'
  | 'pageCache'
  | 'batches'
  | 'chunks'
  | 'crawls'
  | 'targetHosts'
  | 'uploads'
  | 'jobs'
  | 'people'
  | 'results'
> &
  AccountEffects &
  Pick<Effects, 'sessions' | 'signUps' | 'rateLimits' | 'webhooks' | 'deliveries' | 'receivers'>;

/** Runs one suite over the fake and the real adapter, which must behave alike. */
export function describePorts(name: string, suite: (ports: () => Storage) => void): void {
  describe(`${name} in memory`, () => {
    const ports = {
      ...inMemoryAccounts(),
      batches: inMemoryBatches(),
      chunks: inMemoryChunks(),
      crawls: inMemoryCrawls(),
      targetHosts: inMemoryTargetHosts(),
      uploads: inMemoryUploads(),
      jobs: inMemoryJobs(),
      people: inMemoryPeople(),
      results: inMemoryResults(),
      ladderMemory: inMemoryLadder(),
      pageCache: inMemoryPageCache(),
      ...inMemoryVisits(),
      webhooks: inMemoryWebhooks(),
      deliveries: inMemoryDeliveries(),
      receivers: inMemoryReceivers(),
      queue: inMemoryQueue(),
    };
    suite(() => ports);
  });
  describe(`${name} on the emulators`, () => {
    let world: EmulatedWorld;
    beforeAll(async () => {
      world = await emulatedWorld();
    });
    afterAll(() => world[Symbol.asyncDispose]());
    suite(() => world);
  });
}
