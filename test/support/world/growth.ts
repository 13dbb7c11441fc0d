import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import type { Organization } from '../../../shared/contract/accounts/account.ts';
import type { PendingJob } from '../../../shared/contract/jobs/job.ts';
import { createApiKey, hashApiKey } from '../../../shared/domain/accounts/api-key.ts';
import { accepted, newBatch, started } from '../../../shared/domain/batches/state.ts';
import { newChunk } from '../../../shared/domain/batches/chunk-state.ts';
import { closed, fail, toBacklog } from '../../../shared/domain/jobs/state.ts';
import { AppError } from '../../../shared/errors.ts';
import type { DynamodbWorld } from './dynamodb-world.ts';
import { ended, NOON, pendingJob, storedOrganization } from './jobs.ts';

const HOUR_MS = 60 * 60_000;
/** Hours from noon: after all measurements, and within the month. */
const FAR = 100;
const at = (hours: number) => new Date(NOON.getTime() + hours * HOUR_MS);
/** A few at a time, because an emulator is one process. */
const CONCURRENCY = 20;
/** Jobs that are due from the start. */
export const DUE = 10;

/**
 * `waiting`: jobs in the backlog of one organization. `batches`: of the same. `chunks`: of one more batch,
 * each with 250 lines.
 */
export type Sizes = {
  settled: number;
  open: number;
  waiting: number;
  batches: number;
  chunks: number;
  organizations: number;
};
type World = Pick<
  DynamodbWorld,
  'keys' | 'organizations' | 'usage' | 'batches' | 'chunks' | 'jobs' | 'spent'
>;

/** A service with ten jobs and one organization, that grows. */
export async function smallService(world: World) {
  const [job = pendingJob()] = await each(DUE, () => open(world, pendingJob()));
  const ours = await newOrganization(world);
  const orgId = ours.id;
  const waiting = () => toBacklog(pendingJob({ orgId }), NOON);
  await each(DUE, () => open(world, waiting()));
  await each(DUE, () => openBatch(world, orgId));
  const addChunk = growingBatch(world, orgId);
  const [chunk] = await each(DUE, addChunk);
  if (chunk === undefined) throw new Error('There is no chunk.');
  let hour = 0;
  return {
    /** Capacity units of single operations at its current size, an hour apart so that the bucket is idle. */
    costs: async () => {
      const now = at((hour += 1));
      return {
        status: await cost(world, () => world.jobs.find(job.id)),
        due: await cost(world, () => world.jobs.due(now, 100)),
        admission: await cost(world, () => admit(world, ours, now)),
        settlement: await cost(world, () => settle(world, ours, now)),
        backlog: await cost(world, () => world.jobs.waiting(orgId, { limit: DUE })),
        turns: await cost(world, () => world.batches.open(orgId, DUE)),
        chunks: await cost(world, () => world.chunks.waiting({ id: chunk.batchId, orgId }, DUE)),
        chunk_counted: await cost(world, () => world.chunks.count({ ...chunk, version: hour }, FAR)),
        counts: await cost(world, () => world.chunks.progress(chunk.batchId, DUE)),
      };
    },
    due: async () => (await world.jobs.due(at(hour), 100)).jobs,
    add: async (more: Sizes) => {
      await each(more.settled, () => settled(world, pendingJob()));
      await each(more.open, () => open(world, pendingJob({ dueAt: at(FAR) })));
      await each(more.waiting, () => open(world, waiting()));
      await each(more.batches, () => openBatch(world, orgId));
      await each(more.chunks, addChunk);
      await each(more.organizations, () => newOrganization(world));
    },
  };
}

function readingBatch(orgId: string) {
  const by = { id: v7(), orgId, keyId: 'key_1', requestId: 'request_1' };
  return started(newBatch({ ...by, total: 200, upload: { defaults: {} } }, NOON), 'v1', NOON);
}

/** A batch that workers read. */
async function openBatch({ batches }: World, orgId: string): Promise<void> {
  const batch = readingBatch(orgId);
  await batches.create(batch);
  await batches.advance(accepted(batch, { lines: 200, chunks: 8 }, NOON), 'reading');
}

const LINES = 250;
const BYTES = 20_000;

/** A batch that is as long as it has chunks. Returns what adds one, and waits for a worker. */
function growingBatch({ chunks }: World, orgId: string) {
  const batch = readingBatch(orgId);
  let next = 0;
  return async () => {
    const index = next++;
    const lines = { index, at: index * BYTES, bytes: BYTES, lines: LINES, firstLine: index * LINES };
    const chunk = newChunk(batch, lines);
    await chunks.create(chunk);
    return chunk;
  };
}

/** Capacity units that DynamoDB counts for it. */
async function cost({ spent }: World, work: () => Promise<unknown>): Promise<number> {
  const before = spent.length;
  await work();
  return spent.slice(before).reduce((sum, units) => sum + units, 0);
}

/** One with a key and a scrape, so that its month has begun. */
async function newOrganization(world: World): Promise<Organization> {
  const organization = storedOrganization({}, { plan: 'business' });
  const key = createApiKey('live', randomBytes);
  await world.organizations.save(organization);
  await world.keys.save({
    id: key.id,
    hash: hashApiKey(key),
    orgId: organization.id,
    name: 'first',
    last4: 'abcd',
    status: 'active',
    createdAt: NOON,
  });
  await admit(world, organization, NOON);
  await settle(world, organization, NOON);
  return organization;
}

const SLOT = 'scrape';

/** The same slot each time, freed in between, so that the item does not grow. */
function admit({ usage }: World, organization: Organization, now: Date) {
  const slot = { id: SLOT, until: at(FAR) };
  return usage.admit(organization, { bucket: 'scrape', credits: 1, slot }, now);
}

function settle({ usage }: World, organization: Organization, now: Date) {
  return usage.settle(organization, { slotId: SLOT, held: 1, ended: ended(1) }, now);
}

async function open({ jobs }: World, job: PendingJob): Promise<PendingJob> {
  await jobs.create(job);
  return job;
}

async function settled(world: World, job: PendingJob): Promise<void> {
  await open(world, job);
  await world.jobs.replace(job, closed(fail(job, { code: 'timeout', message: 'too slow' }, NOON)));
}

async function each<T>(count: number, work: () => Promise<T>): Promise<T[]> {
  const done: T[] = [];
  let left = count;
  const client = async () => {
    while (left-- > 0) done.push(await patiently(work));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, client));
  return done;
}

/** Retries while the emulator is busy, as callers should. Partial work stays. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError && error.code === 'busy') return patiently(work);
    throw error;
  }
}
