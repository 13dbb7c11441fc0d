import { createHash } from 'node:crypto';
import { AppError } from '../errors.ts';
import type { Effects } from '../ports/effects.ts';
import type { IdempotencyClaim } from '../ports/jobs.ts';
import { invalidField } from '../request/fault.ts';
import type { AuthenticatedCall } from './call.ts';
import { addMs, DAY_MS } from '../time/units.ts';

/** Longer than any submit takes: after it the request that claimed the key is dead, and a repeat resumes. */
const LOCK_MS = 30_000;
const MAX_KEY_LENGTH = 255;

type Needs = Pick<Effects, 'now' | 'newId'> & { jobs: Pick<Effects['jobs'], 'claimKey' | 'heldKey'> };

type Submit = {
  /** The caller's, if it sent one. */
  key: string | undefined;
  /** The order of its fields makes no difference. */
  body: unknown;
  credits: number;
  /** Throws if a new one may not be made. A repeat is not counted: its first response is known. */
  assertNew?: () => Promise<void>;
};

/** Absent, or 1 to 255 characters; the quotes of a structured string are not part of it. */
export function idempotencyKey({ headers }: Pick<AuthenticatedCall, 'headers'>): string | undefined {
  const sent = headers['idempotency-key'];
  if (sent === undefined) return undefined;
  const key = sent.trim().replace(/^"(.*)"$/, '$1');
  if (key.length > 0 && key.length <= MAX_KEY_LENGTH) return key;
  throw invalidField('Idempotency-Key', "Invalid value for 'Idempotency-Key': expected 1 to 255 characters.");
}

/**
 * The id under which a submit may make its job or batch, or what an earlier request with the key has made
 * under it. A repeat needs no credits. Throws `insufficient_credits`, `idempotency_key_reused`,
 * `idempotency_in_flight` and what `assertNew` throws.
 */
export async function claimKey<T>(
  fx: Needs,
  { key, body, credits, assertNew = () => Promise.resolve() }: Submit,
  { session, meter }: Pick<AuthenticatedCall, 'session' | 'meter'>,
  find: (id: string) => Promise<T | undefined>,
): Promise<{ id: string; made?: T }> {
  if (key === undefined) {
    await assertNew();
    return { id: fx.newId() };
  }
  const now = fx.now();
  const lockedUntil = now.getTime() + LOCK_MS;
  const wanted: IdempotencyClaim = {
    orgId: session.organization.id,
    key,
    bodyHash: hashOf(body),
    jobId: fx.newId(),
    lockedUntil,
    expiresAt: addMs(now, DAY_MS),
  };
  const assertMayBeNew = async () => {
    meter.assertCredits(credits);
    await assertNew();
  };
  const held = await heldOrClaimed(fx, wanted, assertMayBeNew, now);
  const { jobId: id } = held;
  if (id === wanted.jobId) return { id };
  const made = await madeUnder(held, wanted, find);
  if (made) return { id, made };
  const inFlight = new AppError('idempotency_in_flight', { retryAfter: secondsUntil(held.lockedUntil, now) });
  if (held.lockedUntil > now.getTime()) throw inFlight;
  await assertMayBeNew();
  const holder = await fx.jobs.claimKey({ ...held, lockedUntil }, now, held);
  if (holder.lockedUntil !== lockedUntil) throw inFlight;
  return { id };
}

/** Looks for the claim of an earlier request only if a new one is refused, which saves a read. */
async function heldOrClaimed(
  { jobs }: Needs,
  wanted: IdempotencyClaim,
  assertMayBeNew: () => Promise<void>,
  now: Date,
): Promise<IdempotencyClaim> {
  try {
    await assertMayBeNew();
  } catch (refusal) {
    const held = await jobs.heldKey(wanted, now);
    if (held) return held;
    throw refusal;
  }
  return jobs.claimKey(wanted, now);
}

async function madeUnder<T>(
  held: IdempotencyClaim,
  { bodyHash }: Pick<IdempotencyClaim, 'bodyHash'>,
  find: (id: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  if (held.bodyHash !== bodyHash) throw new AppError('idempotency_key_reused');
  return find(held.jobId);
}

/** Says that an earlier request with the same key submitted the job or batch. */
export const replayedHeader = ({ isReplayed }: { isReplayed: boolean }) =>
  isReplayed ? { 'Idempotent-Replayed': 'true' } : {};

const hashOf = (body: unknown) => createHash('sha256').update(canonical(body)).digest('hex');

function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`).join()}}`;
}

function secondsUntil(time: number, now: Date): number {
  return Math.max(1, Math.ceil((time - now.getTime()) / 1_000));
}
