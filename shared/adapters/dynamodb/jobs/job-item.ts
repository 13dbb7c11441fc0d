import { z } from 'zod';
import { Job } from '../../../contract/jobs/job.ts';

/** Partitions of the sparse index of unfinished jobs, so that none runs hot. */
export const OPEN_SHARDS = 10;

/**
 * Only a job with work left has a shard and appears in the sparse index. A job with a slot is found by that:
 * without a place in the index, its writes cost half.
 */
export function jobItem(job: Job) {
  const isListed = job.dueAt !== undefined && job.slot === undefined;
  const shard = isListed ? { open_shard: shardOf(job) } : {};
  // Idempotency keys have an `org_id` too, and are not listed.
  return { pk: job.id, job_of: job.orgId, ...z.encode(Job, job), ...shard };
}

/** A job in a backlog is due at its deadline, so a backlog is sorted by deadlines. */
function shardOf(job: Job): string {
  if ('isWaiting' in job && job.isWaiting) return backlogOf(job.orgId);
  // The last characters of a UUIDv7 are random.
  return String(Number.parseInt(job.id.slice(-4), 16) % OPEN_SHARDS);
}

/** The partition of an organization's jobs that wait. */
export const backlogOf = (orgId: string) => `BACKLOG#${orgId}`;
