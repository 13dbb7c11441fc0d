import { createHash } from 'node:crypto';
import { AppError } from '../errors.ts';
import type { Effects, IdempotencyClaim } from '../ports.ts';
import { invalidField } from '../request/fault.ts';
import type { AuthenticatedCall } from './call.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
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
 * under it. A repeat needs no credits. Throws `insufficient_credits`, `idempotency_key_reused` and
 * `idempotency_in_flight`.
 */
export async function claimKey<T>(
  fx: Needs,
  { key, body, credits }: Submit,
  { session, meter }: Pick<AuthenticatedCall, 'session' | 'meter'>,
  find: (id: string) => Promise<T | undefined>,
): Promise<{ id: string; made?: T }> {
  if (key === undefined) return { id: fx.newId() };
  const now = fx.now();
  const lockedUntil = now.getTime() + LOCK_MS;
  const wanted: IdempotencyClaim = {
    orgId: session.organization.id,
    key,
    bodyHash: createHash('sha256').update(canonical(body)).digest('hex'),
    jobId: fx.newId(),
    lockedUntil,
    expiresAt: new Date(now.getTime() + DAY_MS),
  };
  const known = meter.affords(credits) ? undefined : await fx.jobs.heldKey(wanted, now);
  if (known === undefined) meter.assertCredits(credits);
  const held = known ?? (await fx.jobs.claimKey(wanted, now));
  const { jobId: id } = held;
  if (id === wanted.jobId) return { id };
  if (held.bodyHash !== wanted.bodyHash) throw new AppError('idempotency_key_reused');
  const made = await find(id);
  if (made) return { id, made };
  const inFlight = new AppError('idempotency_in_flight', { retryAfter: secondsUntil(held.lockedUntil, now) });
  if (held.lockedUntil > now.getTime()) throw inFlight;
  meter.assertCredits(credits);
  const holder = await fx.jobs.claimKey({ ...held, lockedUntil }, now, held);
  if (holder.lockedUntil !== lockedUntil) throw inFlight;
  return { id };
}

/** Says that an earlier request with the same key submitted the job or batch. */
export const replayedHeader = ({ isReplayed }: { isReplayed: boolean }) =>
  isReplayed ? { 'Idempotent-Replayed': 'true' } : {};

function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`).join()}}`;
}

function secondsUntil(time: number, now: Date): number {
  return Math.max(1, Math.ceil((time - now.getTime()) / 1_000));
}
