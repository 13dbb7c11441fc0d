import type { Person, Role } from '../../contract/people/person.ts';
import { AppError } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';
import { assertAdmin, assertAnotherAdmin, withMembersLocked } from './lock-members.ts';
import { revokeKeysBy } from './member-keys.ts';
import { endPlaygroundKeys } from './playground-key.ts';

type Needs = Pick<Effects, 'organizations' | 'keys' | 'usage' | 'people' | 'now' | 'newId'>;

const NO_MEMBER = 'There is no such member here.';
const ALONE = 'You are the only member. To end the organization, delete your account in Settings.';

/** The members of an organization, in the order in which they joined. */
export async function listMembers({ people }: Pick<Needs, 'people'>, orgId: string): Promise<Person[]> {
  return (await people.membersOf(orgId)).sort((a, b) => +a.createdAt - +b.createdAt);
}

/** Throws `not_found` for a member of another organization, `invalid_request` for the last admin. */
export function changeRole(fx: Needs, admin: Person, userId: string, role: Role): Promise<void> {
  return changeMember(fx, admin, userId, async (member) => {
    // The same role again would end the member's invitations.
    if (member.role === role) return;
    if (member.role === 'admin') await assertAnotherAdmin(fx, member.orgId, userId);
    await fx.people.changeRole(userId, role, fx.now());
  });
}

/** What ends together with a membership. */
export type Ending = { keys: 'stay' | 'revoked' };

/** Ends a membership, and with it all sessions and invitations. Throws as `changeRole` does. */
export function removeMember(fx: Needs, admin: Person, userId: string, ending: Ending): Promise<void> {
  return changeMember(fx, admin, userId, async (member) => {
    if (member.role === 'admin') await assertAnotherAdmin(fx, member.orgId, userId);
    await endMembership(fx, member, ending);
  });
}

/** Ends one's own membership; the account stays. Throws `invalid_request` for the last admin or member. */
export function leaveOrganization(fx: Needs, { id, orgId }: Person, ending: Ending): Promise<void> {
  return withMembersLocked(fx, orgId, async () => {
    const present = await fx.people.find(id);
    if (present?.orgId !== orgId) return;
    const others = (await fx.people.membersOf(orgId)).filter((member) => member.id !== id);
    if (others.length === 0) throw new AppError('invalid_request', { message: ALONE });
    if (present.role === 'admin') await assertAnotherAdmin(fx, orgId, id);
    await endMembership(fx, present, ending);
  });
}

/** Needs the lock. May run twice. */
export async function endMembership(fx: Needs, member: Person, { keys }: Ending): Promise<void> {
  const { id, orgId, invitation } = member;
  if (keys === 'revoked') await revokeKeysBy(fx, member);
  // A sign-in resumes an invitation that its user has taken up, which would undo this.
  if (invitation !== undefined) await fx.people.removeInvitation(orgId, invitation);
  await fx.people.remove(id);
  // One may have been created a moment ago.
  if (keys === 'revoked') await revokeKeysBy(fx, member);
  // A page that is still open may hold one.
  await endPlaygroundKeys(fx, orgId);
}

/** Reads both under the lock, because either may have changed a moment ago. */
function changeMember(
  fx: Needs,
  admin: Person,
  userId: string,
  change: (member: Person) => Promise<void>,
): Promise<void> {
  return withMembersLocked(fx, admin.orgId, async () => {
    await assertAdmin(fx, admin);
    await change(await memberOf(fx, admin.orgId, userId));
  });
}

/** Throws `not_found` for a member of another organization. */
export async function memberOf({ people }: Pick<Needs, 'people'>, orgId: string, userId: string) {
  const member = await people.find(userId);
  if (member?.orgId === orgId) return member;
  throw new AppError('not_found', { message: NO_MEMBER });
}
