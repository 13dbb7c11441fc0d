import type { KeyRestrictions, Organization } from '../contract/accounts/account.ts';
import { isSameKey, parseApiKey } from '../domain/accounts/api-key.ts';
import { AppError } from '../errors.ts';
import type { AccountEffects } from '../ports/accounts.ts';

export type KeySession = {
  organization: Organization;
  keyId: string;
  restrictions?: KeyRestrictions | undefined;
};

const BEARER = /^Bearer +(\S+) *$/i;

const NO_KEY = 'No API key was sent. Send one as "Authorization: Bearer sf_...".';

/** Identifies the caller. `unauthorized` says whether a key was sent, but never what is wrong with it. */
export async function authenticate(
  { keys, organizations }: Pick<AccountEffects, 'keys' | 'organizations'>,
  authorization: string | undefined,
  now: Date,
): Promise<KeySession> {
  const sent = BEARER.exec(authorization ?? '')?.[1];
  if (sent === undefined) throw new AppError('unauthorized', { message: NO_KEY });
  const key = parseApiKey(sent);
  if (key === undefined) throw new AppError('unauthorized');
  const record = await keys.find(key.id);
  if (record === undefined || !isSameKey(key, record.hash)) throw new AppError('unauthorized');
  if (record.status !== 'active' || (record.expiresAt && record.expiresAt <= now)) {
    throw new AppError('unauthorized');
  }
  const organization = await organizations.find(record.orgId);
  if (organization === undefined) throw new AppError('unauthorized');
  return { organization, keyId: record.id, restrictions: record.restrictions };
}
