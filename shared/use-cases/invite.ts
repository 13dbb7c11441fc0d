import { randomBytes } from 'node:crypto';
import type { Invitation, Role } from '../contract/person.ts';
import { createSecret, hashSecret } from '../domain/account/secret.ts';
import type { Effects } from '../ports.ts';
import { findOrganization } from './find-organization.ts';

type Needs = Pick<Effects, 'accounts' | 'people' | 'now'>;

const DAY_MS = 24 * 60 * 60 * 1_000;
const LASTS_MS = 7 * DAY_MS;

/** Invites the first person who uses the code, which only this result holds. */
export async function invite(fx: Needs, orgId: string, role: Role) {
  await findOrganization(fx, orgId);
  const code = createSecret(randomBytes);
  const createdAt = fx.now();
  const expiresAt = new Date(createdAt.getTime() + LASTS_MS);
  await fx.people.saveInvitation(hashSecret(code) ?? '', { orgId, role, createdAt, expiresAt });
  return { org_id: orgId, role, code, expires_at: expiresAt.toISOString() };
}

/** An open invitation and its hash. Accepts the whole link as well as its code. */
export async function openInvitation(
  { people, now }: Pick<Needs, 'people' | 'now'>,
  typed: string,
): Promise<{ hash: string; invitation: Invitation } | undefined> {
  const hash = hashSecret(typed.trim().split('#').at(-1) ?? '');
  const invitation = hash === undefined ? undefined : await people.findInvitation(hash, now());
  if (hash === undefined || invitation === undefined || invitation.takenBy !== undefined) return undefined;
  return { hash, invitation };
}
