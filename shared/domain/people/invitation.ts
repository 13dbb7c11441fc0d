import type { Invitation, Person } from '../../contract/people/person.ts';

/** Whether its maker has been an admin of the organization ever since. */
export function isBacked({ orgId, createdAt, maker }: Invitation, person: Person | undefined): boolean {
  if (maker.kind === 'operator') return true;
  if (person === undefined) return false;
  const isAdmin = person.id === maker.id && person.orgId === orgId && person.role === 'admin';
  return isAdmin && createdAt >= (person.roleSince ?? person.createdAt);
}
