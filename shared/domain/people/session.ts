import type { Person, Session } from '../../contract/people/person.ts';
import { addMs, HOUR_MS, MINUTE_MS } from '../../time/units.ts';

/** A session ends after the first time without a request, and after the second in any case. */
export const [IDLE_MS, LIFETIME_MS] = [12 * HOUR_MS, 7 * 24 * HOUR_MS];
/** A request this soon after the last noted one is not noted, which saves a write. */
const NOTED_EVERY_MS = 10 * MINUTE_MS;

export function newSession({ id, generation }: Person, now: Date): Session {
  const ends = addMs(now, LIFETIME_MS);
  return { userId: id, generation, createdAt: now, seenAt: now, expiresAt: ends };
}

/** Whether the session is still valid. Its user is read each time, so that removal ends it at once. */
export function isOpen(session: Session, person: Person, now: Date): boolean {
  const { generation, createdAt, seenAt } = session;
  const isFresh = now < addMs(seenAt, IDLE_MS) && now < addMs(createdAt, LIFETIME_MS);
  // A user who was removed and joins again restarts at the first generation.
  const isOfThisMembership = createdAt >= person.createdAt && generation === person.generation;
  return isFresh && isOfThisMembership && session.userId === person.id;
}

export function isToBeNoted({ seenAt }: Session, now: Date): boolean {
  return now >= addMs(seenAt, NOTED_EVERY_MS);
}
