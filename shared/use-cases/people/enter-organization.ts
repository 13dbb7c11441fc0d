import type { Organization } from '../../contract/accounts/account.ts';
import type { Person } from '../../contract/people/person.ts';
import { mayFound, type SignUpPolicy } from '../../domain/people/sign-up-policy.ts';
import { AppError } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';
import { onceMembersUnlocked } from './lock-members.ts';
import { backedInvitation } from './manage-invitations.ts';
import { issueKey } from '../accounts/manage-keys.ts';

type Needs = Pick<Effects, 'keys' | 'organizations' | 'people' | 'now' | 'newId' | 'wait'>;

export type Entering = {
  userId: string;
  email: string;
  policy: SignUpPolicy;
  /** Hash of the invitation that the user came with. */
  invitation?: string | undefined;
  /** What a new organization is called. Absent: the name in the address. */
  organization?: string | undefined;
  /** The user came for the invitation only: throws `invalid_request` for a member. */
  isJoining?: boolean | undefined;
};

type Entered = {
  person: Person;
  /** The organization's first key, only in the request that created it. */
  firstKey?: string;
};

/**
 * Returns the signed-in user's membership. Otherwise accepts the invitation or, without an invitation and if
 * the policy allows it, creates an organization. If a step failed, the next sign-in resumes. Undefined if
 * there is no organization for this user; throws `invalid_request` for an invalid invitation.
 */
export async function enterOrganization(fx: Needs, entering: Entering): Promise<Entered | undefined> {
  const { userId, invitation } = entering;
  const member = await fx.people.find(userId);
  if (member && entering.isJoining) throw new AppError('invalid_request', { message: IS_MEMBER });
  if (member) return found(fx, member, entering.organization);
  if (invitation !== undefined) return { person: await joined(fx, entering, invitation) };
  if (!mayFound(entering.policy, entering.email)) return undefined;
  const orgId = `org_${fx.newId().replaceAll('-', '')}`;
  const founder = await added(fx, newPerson(fx, entering, { orgId, role: 'admin' }));
  return found(fx, founder, entering.organization);
}

/** Takes up an invitation, which is judged under the lock: its maker may be removed at the same moment. */
async function joined(fx: Needs, entering: Entering, hash: string): Promise<Person> {
  const known = await backedInvitation(fx, hash);
  if (known === undefined) throw voidInvitation();
  return onceMembersUnlocked(fx, known.orgId, async () => {
    const invitation = await backedInvitation(fx, hash);
    const organization = invitation && (await fx.organizations.find(invitation.orgId));
    const isTaken = organization && (await fx.people.takeInvitation(hash, entering.userId, fx.now()));
    if (invitation === undefined || !isTaken) throw voidInvitation();
    const { orgId, role, maker } = invitation;
    const invitedBy = maker.kind === 'member' ? { invitedBy: maker.email } : {};
    return added(fx, { ...newPerson(fx, entering, { orgId, role }), invitation: hash, ...invitedBy });
  });
}

const voidInvitation = () =>
  new AppError('invalid_request', { message: VOID_INVITATION, fields: { param: 'invitation' } });

function newPerson(
  { now }: Needs,
  { userId, email }: Entering,
  place: Pick<Person, 'orgId' | 'role'>,
): Person {
  const { orgId, role } = place;
  return { id: userId, email, name: nameIn(email), orgId, role, generation: 0, createdAt: now() };
}

/** The person as stored: another request may have been faster. */
async function added({ people }: Needs, person: Person): Promise<Person> {
  return (await people.add(person)) ? person : ((await people.find(person.id)) ?? person);
}

/** Creates a founder's organization, with its first key, unless it exists. */
async function found(fx: Needs, person: Person, name = nameIn(person.email)): Promise<Entered> {
  const { orgId, email, createdAt } = person;
  if (person.invitation !== undefined || (await fx.organizations.find(orgId))) return { person };
  const organization: Organization = {
    id: orgId,
    name,
    plan: 'free',
    overrides: {},
    status: 'active',
    createdAt,
  };
  if (!(await fx.organizations.add(organization))) return { person };
  const { api_key } = await issueKey(fx, { orgId, name: 'first', mode: 'live', createdBy: email });
  return { person, firstKey: api_key };
}

export const VOID_INVITATION =
  'This invitation was used, has expired or never existed, or its maker withdrew it or is no longer an admin. Ask for another.';

const IS_MEMBER = 'You are already a member of an organization. Sign in, or use another address.';

const nameIn = (email: string) => email.split('@')[0] ?? email;
