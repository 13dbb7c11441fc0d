import type { Person, Role } from '../contract/person.ts';
import { AppError } from '../errors.ts';
import type { Effects } from '../ports.ts';
import { assertAnotherAdmin, withMembersLocked } from './lock-members.ts';
import { endPlaygroundKeys } from './playground-key.ts';

type Needs = Pick<Effects, 'accounts' | 'people' | 'now' | 'newId'>;

const NOT_ADMIN = 'Only admins change members.';
const NO_MEMBER = 'There is no such member here.';
const ALONE = 'You are the only member. To end the organization, delete your account in Settings.';

/** The members of an organization, in the order in which they joined. */
export async function listMembers({ people }: Pick<Needs, 'people'>, orgId: string): Promise<Person[]> {
  return (await people.membersOf(orgId)).sort((a, b) => +a.createdAt - +b.createdAt);
}

/** Throws `not_found` for a member of another organization, `invalid_request` for the last admin. */
export function changeRole(fx: Needs, admin: Person, userId: string, role: Role): Promise<void> {
  return changeMember(fx, admin, userId, async (member) => {
    if (member.role === 'admin' && role !== 'admin') await assertAnotherAdmin(fx, member.orgId, userId);
    await fx.people.changeRole(userId, role);
  });
}

/** Ends a membership, and with it all sessions. Throws as `changeRole` does. */
export function removeMember(fx: Needs, admin: Person, userId: string): Promise<void> {
  return changeMember(fx, admin, userId, async (member) => {
    if (member.role === 'admin') await assertAnotherAdmin(fx, member.orgId, userId);
    await end(fx, member);
  });
}

/** Ends one's own membership; the account stays. Throws `invalid_request` for the last admin or member. */
export function leaveOrganization(fx: Needs, { id, orgId }: Person): Promise<void> {
  return withMembersLocked(fx, orgId, async () => {
    const present = await fx.people.find(id);
    if (present?.orgId !== orgId) return;
    const others = (await fx.people.membersOf(orgId)).filter((member) => member.id !== id);
    if (others.length === 0) throw new AppError('invalid_request', { message: ALONE });
    if (present.role === 'admin') await assertAnotherAdmin(fx, orgId, id);
    await end(fx, present);
  });
}

async function end(fx: Needs, { id, orgId }: Person): Promise<void> {
  await fx.people.remove(id);
  // A page that is still open may hold one.
  await endPlaygroundKeys(fx, orgId);
}

/** Reads both under the lock, because either may have changed a moment ago. */
function changeMember(
  fx: Needs,
  { id, orgId }: Person,
  userId: string,
  change: (member: Person) => Promise<void>,
): Promise<void> {
  return withMembersLocked(fx, orgId, async () => {
    const [admin, member] = await Promise.all([fx.people.find(id), fx.people.find(userId)]);
    if (admin?.orgId !== orgId || admin.role !== 'admin') throw notAdmin();
    if (member?.orgId !== orgId) throw new AppError('not_found', { message: NO_MEMBER });
    await change(member);
  });
}

export const notAdmin = () => new AppError('invalid_request', { message: NOT_ADMIN });
