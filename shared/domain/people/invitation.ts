import type { Invitation, Person } from '../../contract/people/person.ts';

/**
 * Whether an invitation is worth something now: its maker has been an admin of the organization ever since.
 * One without a maker, of an earlier version, is not: a removed admin may have made it.
 */
export function isBacked({ orgId, createdAt, maker }: Invitation, person: Person | undefined): boolean {
  if (maker?.kind === 'operator') return true;
  if (maker === undefined || person === undefined) return false;
  const isAdmin = person.id === maker.id && person.orgId === orgId && person.role === 'admin';
  return isAdmin && createdAt >= (person.roleSince ?? person.createdAt);
}
