import type { Organization } from '../../contract/accounts/account.ts';
import { AppError } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';

/** The organization with this id. Throws `not_found` if there is none. */
export async function findOrganization(
  fx: Pick<Effects, 'organizations'>,
  orgId: string,
): Promise<Organization> {
  const organization = await fx.organizations.find(orgId);
  if (organization) return organization;
  throw new AppError('not_found', { message: `There is no organization "${orgId}".` });
}
