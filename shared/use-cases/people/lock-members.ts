import type { Person } from '../../contract/people/person.ts';
import { AppError } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';
import { addMs } from '../../time/units.ts';

type Needs = Pick<Effects, 'people' | 'now' | 'newId'>;

/** Longer than a request takes, so that a lock outlives its holder. */
const HELD_MS = 60_000;

const [MAX_ROUNDS, ROUND_MS] = [25, 200];

const NOT_ADMIN = 'Only admins change members.';
const LOCKED = 'Another change to the members is in progress. Try again.';
const LAST_ADMIN = 'This is the only admin. Make another member an admin first.';

/** Makes one change to an organization's members at a time. Throws `busy` during another change. */
export async function withMembersLocked<T>(fx: Needs, orgId: string, work: () => Promise<T>): Promise<T> {
  const holder = fx.newId();
  const until = addMs(fx.now(), HELD_MS);
  const isLocked = await fx.people.lock(orgId, holder, until, fx.now());
  if (!isLocked) throw new AppError('busy', { message: LOCKED, retryAfter: 1 });
  try {
    return await work();
  } finally {
    await fx.people.unlock(orgId, holder);
  }
}

/** Does the same after another change, for up to five seconds. */
export async function onceMembersUnlocked<T>(
  fx: Needs & Pick<Effects, 'wait'>,
  orgId: string,
  work: () => Promise<T>,
): Promise<T> {
  for (let round = 1; ; round++)
    try {
      return await withMembersLocked(fx, orgId, work);
    } catch (error) {
      const isBusy = error instanceof AppError && error.code === 'busy';
      if (!isBusy || round === MAX_ROUNDS) throw error;
      await fx.wait(ROUND_MS);
    }
}

/** Throws `invalid_request` unless this user is an admin of the organization now. */
export async function assertAdmin(
  { people }: Pick<Needs, 'people'>,
  { id, orgId }: Pick<Person, 'id' | 'orgId'>,
): Promise<void> {
  const present = await people.find(id);
  if (present?.orgId === orgId && present.role === 'admin') return;
  throw new AppError('invalid_request', { message: NOT_ADMIN });
}

/** Throws `invalid_request` unless another user is an admin. Needs the lock. */
export async function assertAnotherAdmin({ people }: Needs, orgId: string, userId: string): Promise<void> {
  const listed = await people.membersOf(orgId);
  const others = await Promise.all(listed.filter(({ id }) => id !== userId).map(({ id }) => people.find(id)));
  if (others.some((other) => other?.orgId === orgId && other.role === 'admin')) return;
  throw new AppError('invalid_request', { message: LAST_ADMIN });
}
