import type { Person } from '../../contract/people/person.ts';
import type { Effects } from '../../ports/effects.ts';
import { assertAnotherAdmin, withMembersLocked } from './lock-members.ts';
import { revokeKey } from '../accounts/manage-keys.ts';
import { type Ending, endMembership } from './manage-members.ts';

type Needs = Pick<Effects, 'organizations' | 'usage' | 'keys' | 'identities' | 'people' | 'now' | 'newId'>;

/**
 * Deletes an account. With the last member the organization's keys end too. False, without any change, for a
 * wrong password; throws `invalid_request` for the only admin among several members. May run twice.
 */
export async function leave(
  fx: Needs,
  { id, email, orgId }: Person,
  password: string,
  ending: Ending,
): Promise<boolean> {
  const known = await fx.identities.signIn(email, password);
  if (known.outcome !== 'signed_in' || known.userId !== id) return false;
  await withMembersLocked(fx, orgId, async () => {
    const others = (await fx.people.membersOf(orgId)).filter((member) => member.id !== id);
    const present = await fx.people.find(id);
    if (present?.role === 'admin' && others.length > 0) await assertAnotherAdmin(fx, orgId, id);
    if (others.length === 0) await revokeAll(fx, orgId);
    if (present?.orgId === orgId) await endMembership(fx, present, ending);
  });
  await fx.identities.remove(email, password);
  return true;
}

async function revokeAll(fx: Needs, orgId: string): Promise<void> {
  const active = (await fx.keys.list(orgId)).filter(({ status }) => status === 'active');
  await Promise.all(active.map(({ id }) => revokeKey(fx, id)));
}
