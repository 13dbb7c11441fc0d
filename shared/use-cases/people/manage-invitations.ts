import { randomBytes } from 'node:crypto';
import type { Invitation, InvitationMaker, Person, Role } from '../../contract/people/person.ts';
import { isBacked } from '../../domain/people/invitation.ts';
import { createSecret, hashSecret } from '../../domain/people/secret.ts';
import { AppError } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';
import { findOrganization } from '../accounts/find-organization.ts';
import { assertAdmin, withMembersLocked } from './lock-members.ts';
import { addMs, DAY_MS } from '../../time/units.ts';

type Needs = Pick<Effects, 'organizations' | 'usage' | 'people' | 'now'>;

const LASTS_MS = 7 * DAY_MS;

const NO_INVITATION = 'There is no such invitation here.';
const USED = 'This invitation was used. Remove the member instead.';

export type NewInvitation = { orgId: string; role: Role; maker: InvitationMaker };

/** Invites the first person who uses the code, which only this result holds. */
export async function invite(fx: Needs, { orgId, role, maker }: NewInvitation) {
  await findOrganization(fx, orgId);
  const code = createSecret(randomBytes);
  const createdAt = fx.now();
  const expiresAt = addMs(createdAt, LASTS_MS);
  const invitation = { orgId, role, maker, createdAt, expiresAt };
  await fx.people.saveInvitation(hashSecret(code) ?? '', invitation);
  return { org_id: orgId, role, code, expires_at: expiresAt.toISOString() };
}

/** An invitation that counts, by the whole link or its code, and whether a user has taken it up. */
export async function openInvitation(
  fx: Pick<Needs, 'people' | 'now'>,
  typed: string,
): Promise<{ hash: string; isTaken: boolean } | undefined> {
  const hash = hashSecret(typed.trim().split('#').at(-1) ?? '');
  const invitation = hash === undefined ? undefined : await backedInvitation(fx, hash);
  if (hash === undefined || invitation === undefined) return undefined;
  return { hash, isTaken: invitation.takenBy !== undefined };
}

/** The invitation, unless it has expired or its maker is no longer an admin. */
export async function backedInvitation(
  { people, now }: Pick<Needs, 'people' | 'now'>,
  hash: string,
): Promise<Invitation | undefined> {
  const invitation = await people.findInvitation(hash, now());
  if (invitation === undefined) return undefined;
  const { maker } = invitation;
  const person = maker.kind === 'member' ? await people.find(maker.id) : undefined;
  return isBacked(invitation, person) ? invitation : undefined;
}

export type ListedInvitation = Invitation & { hash: string };

/** The invitations with which somebody can still join these members, the newest first. */
export async function listInvitations(
  { people, now }: Pick<Needs, 'people' | 'now'>,
  orgId: string,
  members: readonly Person[],
): Promise<ListedInvitation[]> {
  const memberOf = (id: string | undefined) => members.find((member) => member.id === id);
  const isOpen = (it: Invitation) => {
    const maker = it.maker.kind === 'member' ? memberOf(it.maker.id) : undefined;
    return it.expiresAt > now() && isBacked(it, maker) && memberOf(it.takenBy) === undefined;
  };
  const found = [...(await people.invitationsOf(orgId))].map(([hash, it]) => ({ hash, ...it }));
  return found.filter(isOpen).sort((a, b) => +b.createdAt - +a.createdAt);
}

/** Throws `not_found` for an invitation to another organization, `invalid_request` for a used one. */
export function withdrawInvitation(
  fx: Needs & Pick<Effects, 'newId'>,
  admin: Person,
  hash: string,
): Promise<void> {
  const { orgId } = admin;
  return withMembersLocked(fx, orgId, async () => {
    await assertAdmin(fx, admin);
    const found = await fx.people.findInvitation(hash, fx.now());
    if (found?.orgId !== orgId) throw new AppError('not_found', { message: NO_INVITATION });
    const taker = found.takenBy === undefined ? undefined : await fx.people.find(found.takenBy);
    if (taker?.invitation === hash) throw new AppError('invalid_request', { message: USED });
    await fx.people.removeInvitation(orgId, hash);
  });
}
