import type { Organization } from '../contract/account.ts';
import { isSameKey, parseApiKey } from '../domain/account/api-key.ts';
import { AppError } from '../errors.ts';
import type { Accounts } from '../ports.ts';

export type Session = { organization: Organization; keyId: string };

const BEARER = /^Bearer +(\S+) *$/i;

/** Who is calling. One same `unauthorized` for a missing, malformed, unknown, revoked or expired key. */
export async function authenticate(
  accounts: Pick<Accounts, 'findKey' | 'findOrganization'>,
  authorization: string | undefined,
  now: Date,
): Promise<Session> {
  const key = parseApiKey(BEARER.exec(authorization ?? '')?.[1] ?? '');
  if (key === undefined) throw new AppError('unauthorized');
  const record = await accounts.findKey(key.id);
  if (record === undefined || !isSameKey(key, record.hash)) throw new AppError('unauthorized');
  if (record.status !== 'active' || (record.expiresAt && record.expiresAt <= now)) {
    throw new AppError('unauthorized');
  }
  const organization = await accounts.findOrganization(record.orgId);
  if (organization === undefined) throw new AppError('unauthorized');
  return { organization, keyId: record.id };
}
