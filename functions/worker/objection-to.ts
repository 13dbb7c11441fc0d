import type { Organization } from '../../shared/contract/account.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import type { Effects } from '../../shared/ports.ts';

/** The reason the accepted requests of a key may no longer run. */
export async function objectionTo(
  { accounts }: Pick<Effects, 'accounts'>,
  organization: Organization | undefined,
  keyId: string,
): Promise<ErrorCode | undefined> {
  if (organization === undefined) return 'unauthorized';
  if (organization.status === 'suspended') return 'organization_suspended';
  const key = await accounts.findKey(keyId);
  return key?.status === 'active' ? undefined : 'unauthorized';
}
