import type { Organization } from '../contract/account.ts';
import type { Person } from '../contract/person.ts';
import { mayFound, type SignUpPolicy } from '../domain/account/sign-up-policy.ts';
import { AppError } from '../errors.ts';
import type { Effects } from '../ports.ts';
import { issueKey } from './manage-keys.ts';

type Needs = Pick<Effects, 'accounts' | 'people' | 'now' | 'newId'>;

export type Entering = {
  userId: string;
  email: string;
  policy: SignUpPolicy;
  /** Hash of the invitation that the user came with. */
  invitation?: string | undefined;
  /** The user came for the invitation only: throws `invalid_request` for a member. */
  isJoining?: boolean | undefined;
};

type Entered = {
  person: Person;
  /** The organization's first key, only in the request that created it. */
  firstKey?: string;
};

/**
 * The membership of a user who has shown a password. Without one the user takes up the invitation or, where
 * the policy allows it, founds an organization. The next sign-in resumes if a step failed.
 * Undefined if there is no organization for this user.
 */
export async function enterOrganization(fx: Needs, entering: Entering): Promise<Entered | undefined> {
  const { userId, invitation } = entering;
  const member = await fx.people.find(userId);
  if (member && entering.isJoining) throw new AppError('invalid_request', { message: IS_MEMBER });
  if (member) return found(fx, member);
  if (invitation !== undefined && (await fx.people.takeInvitation(invitation, userId, fx.now()))) {
    const taken = await fx.people.findInvitation(invitation, fx.now());
    const person = taken && (await added(fx, newPerson(fx, entering, taken)));
    return person && found(fx, person);
  }
  if (!mayFound(entering.policy, entering.email)) return undefined;
  const orgId = `org_${fx.newId().replaceAll('-', '')}`;
  return found(fx, await added(fx, newPerson(fx, entering, { orgId, role: 'admin' })));
}

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

/** Creates the person's organization, with its first key, unless it exists. */
async function found(fx: Needs, person: Person): Promise<Entered> {
  const { orgId, email, createdAt } = person;
  if (await fx.accounts.findOrganization(orgId)) return { person };
  const organization: Organization = {
    id: orgId,
    name: nameIn(email),
    plan: 'free',
    overrides: {},
    status: 'active',
    createdAt,
  };
  if (!(await fx.accounts.addOrganization(organization))) return { person };
  const { api_key } = await issueKey(fx, { orgId, name: 'first', mode: 'live', createdBy: email });
  return { person, firstKey: api_key };
}

const IS_MEMBER = 'You are already a member of an organization. Sign in, or use another address.';

const nameIn = (email: string) => email.split('@')[0] ?? email;
