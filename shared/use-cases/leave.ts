import type { Person } from '../contract/person.ts';
import { AppError } from '../errors.ts';
import type { Effects } from '../ports.ts';
import { listKeys, revokeKey } from './manage-keys.ts';

type Needs = Pick<Effects, 'accounts' | 'identities' | 'people' | 'now'>;

const LAST_ADMIN = 'You are the only admin. Make somebody else an admin before you delete your account.';

/**
 * Deletes an account. With the last member the organization's keys end too. False, without any change, for a
 * wrong password; throws `invalid_request` for the only admin among several members. May run twice.
 */
export async function leave(fx: Needs, person: Person, password: string): Promise<boolean> {
  const { id, email, orgId } = person;
  const known = await fx.identities.signIn(email, password);
  if (known.outcome !== 'signed_in' || known.userId !== id) return false;
  const others = (await fx.people.membersOf(orgId)).filter((member) => member.id !== id);
  const isNeeded = others.length > 0 && !others.some(({ role }) => role === 'admin');
  if (isNeeded && person.role === 'admin') throw new AppError('invalid_request', { message: LAST_ADMIN });
  if (others.length === 0) await revokeAll(fx, orgId);
  await fx.people.remove(id);
  await fx.identities.remove(email, password);
  return true;
}

async function revokeAll(fx: Needs, orgId: string): Promise<void> {
  const { keys } = await listKeys(fx, orgId);
  const active = keys.filter(({ status }) => status === 'active');
  await Promise.all(active.map(({ key_id }) => revokeKey(fx, key_id)));
}
