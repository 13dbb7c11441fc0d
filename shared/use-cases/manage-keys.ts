import { randomBytes } from 'node:crypto';
import type { ApiKeyRecord } from '../contract/account.ts';
import { createApiKey, hashApiKey, isSameKey, parseApiKey } from '../domain/account/api-key.ts';
import { AppError } from '../errors.ts';
import type { Effects } from '../ports.ts';
import { findOrganization } from './find-organization.ts';

type Needs = Pick<Effects, 'accounts' | 'now'>;

export type KeyMode = 'live' | 'test';

type NewKey = { orgId: string; name: string; mode: KeyMode; expiresAt?: Date | undefined };

/** Adds a key, so that keys can be replaced without a gap. Only the result holds the key itself. */
export async function createKey(fx: Needs, wanted: NewKey) {
  await findOrganization(fx, wanted.orgId);
  return issueKey(fx, wanted);
}

/** Stores a new key of an organization that is known to exist. */
export async function issueKey(fx: Needs, { orgId, name, mode, expiresAt }: NewKey) {
  const key = createApiKey(mode, randomBytes);
  await fx.accounts.saveKey({
    id: key.id,
    hash: hashApiKey(key),
    orgId,
    name,
    last4: key.text.slice(-4),
    status: 'active',
    createdAt: fx.now(),
    expiresAt,
  });
  return { org_id: orgId, key_id: key.id, api_key: key.text };
}

/** The keys of an organization, without their secrets. */
export async function listKeys(fx: Needs, orgId: string) {
  await findOrganization(fx, orgId);
  return { org_id: orgId, keys: (await fx.accounts.keysOf(orgId)).map(visible) };
}

/** Revokes a key, given its id or the whole key. It is refused everywhere within 15 seconds. */
export async function revokeKey({ accounts }: Needs, idOrKey: string) {
  const key = parseApiKey(idOrKey);
  if (!key && idOrKey.startsWith('sf_')) throw new AppError('invalid_request', { message: NOT_WHOLE });
  const id = key?.id ?? idOrKey;
  const record = await accounts.findKey(id);
  if (record === undefined) throw new AppError('not_found', { message: `There is no key "${id}".` });
  // Anybody can make up a key that names this id, and must not have the real one revoked by it.
  if (key && !isSameKey(key, record.hash)) throw new AppError('not_found', { message: otherSecret(id) });
  await accounts.saveKey({ ...record, status: 'revoked' });
  return visible({ ...record, status: 'revoked' });
}

const NOT_WHOLE =
  'This is not a whole API key: its checksum is wrong. Use its id, the 12 characters after sf_live_ or sf_test_.';

const otherSecret = (id: string) =>
  `Key "${id}" has another secret, so this key was never valid. Nothing was revoked.`;

function visible({ id, orgId, name, last4, status, createdAt, expiresAt }: ApiKeyRecord) {
  return {
    key_id: id,
    org_id: orgId,
    name,
    last4,
    status,
    created_at: createdAt.toISOString(),
    expires_at: expiresAt?.toISOString(),
  };
}
