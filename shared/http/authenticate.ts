import type { KeyRestrictions, Organization } from '../contract/accounts/account.ts';
import { isSameKey, parseApiKey } from '../domain/accounts/api-key.ts';
import { AppError } from '../errors.ts';
import type { Accounts } from '../ports/accounts.ts';

export type KeySession = {
  organization: Organization;
  keyId: string;
  restrictions?: KeyRestrictions | undefined;
};

const BEARER = /^Bearer +(\S+) *$/i;

const NO_KEY = 'No API key was sent. Send one as "Authorization: Bearer sf_...".';

/** Identifies the caller. `unauthorized` says whether a key was sent, but never what is wrong with it. */
export async function authenticate(
  accounts: Pick<Accounts, 'findKey' | 'findOrganization'>,
  authorization: string | undefined,
  now: Date,
): Promise<KeySession> {
  const sent = BEARER.exec(authorization ?? '')?.[1];
  if (sent === undefined) throw new AppError('unauthorized', { message: NO_KEY });
  const key = parseApiKey(sent);
  if (key === undefined) throw new AppError('unauthorized');
  const record = await accounts.findKey(key.id);
  if (record === undefined || !isSameKey(key, record.hash)) throw new AppError('unauthorized');
  if (record.status !== 'active' || (record.expiresAt && record.expiresAt <= now)) {
    throw new AppError('unauthorized');
  }
  const organization = await accounts.findOrganization(record.orgId);
  if (organization === undefined) throw new AppError('unauthorized');
  return { organization, keyId: record.id, restrictions: record.restrictions };
}
