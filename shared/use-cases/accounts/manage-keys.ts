import { randomBytes } from 'node:crypto';
import type { ApiKeyRecord, KeyRestrictions } from '../../contract/accounts/account.ts';
import { createApiKey, hashApiKey, isSameKey, parseApiKey } from '../../domain/accounts/api-key.ts';
import { AppError } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';
import { findOrganization } from './find-organization.ts';
import { addMs } from '../../time/units.ts';

type Needs = Pick<Effects, 'organizations' | 'keys' | 'now'>;

export type KeyMode = 'live' | 'test';

export type NewKey = {
  orgId: string;
  name: string;
  mode: KeyMode;
  expiresAt?: Date | undefined;
  /** The name of the person who creates it. */
  createdBy?: string | undefined;
  restrictions?: KeyRestrictions | undefined;
};

/** How long a replaced key still works. */
export const GRACES_MS = { none: 0, hour: 3_600_000, day: 86_400_000 } as const;
export type Grace = keyof typeof GRACES_MS;

/** Adds a key, so that keys can be replaced without a gap. Only the result holds the key itself. */
export async function createKey(fx: Needs, wanted: NewKey) {
  await findOrganization(fx, wanted.orgId);
  return issueKey(fx, wanted);
}

/** Stores a new key of an organization that is known to exist. */
export async function issueKey(fx: Needs, { orgId, name, mode, ...more }: NewKey) {
  const key = createApiKey(mode, randomBytes);
  await fx.keys.save({
    id: key.id,
    hash: hashApiKey(key),
    orgId,
    name,
    last4: key.text.slice(-4),
    mode,
    status: 'active',
    createdAt: fx.now(),
    expiresAt: more.expiresAt,
    createdBy: more.createdBy,
    restrictions: more.restrictions,
  });
  return { org_id: orgId, key_id: key.id, api_key: key.text };
}

/** The keys of an organization, without their secrets, and without keys of the playground. */
export async function listKeys(fx: Needs, orgId: string) {
  await findOrganization(fx, orgId);
  const [keys, used] = await Promise.all([fx.keys.list(orgId), fx.keys.lastUsed(orgId)]);
  const listed = keys.filter(({ forgetAt }) => forgetAt === undefined);
  return { org_id: orgId, keys: listed.map((key) => visible(key, used[key.id])) };
}

/**
 * Creates a key with the same restrictions, then ends the old one, at once or after a grace period. Only
 * the result holds the new key. Throws `not_found` for an inactive key or, with `orgId`, another
 * organization's.
 */
export async function rotateKey(
  fx: Needs,
  id: string,
  grace: Grace,
  by: { orgId?: string; createdBy?: string } = {},
) {
  const old = await fx.keys.find(id);
  const isOwn = old && (by.orgId === undefined || old.orgId === by.orgId);
  const isOver = old?.expiresAt !== undefined && old.expiresAt <= fx.now();
  if (!isOwn || old.status !== 'active' || isOver) throw noActiveKey(id);
  const { orgId, name, mode = 'live', expiresAt, restrictions } = old;
  const made = await issueKey(fx, { orgId, name, mode, expiresAt, restrictions, createdBy: by.createdBy });
  const end = addMs(fx.now(), GRACES_MS[grace]);
  const endsAt = expiresAt && expiresAt < end ? expiresAt : end;
  const ended = grace === 'none' ? { status: 'revoked' as const } : { expiresAt: endsAt };
  if (!(await fx.keys.replace({ ...old, ...ended }))) {
    // It was revoked meanwhile.
    await revokeKey(fx, made.key_id);
    throw noActiveKey(id);
  }
  return { ...made, replaces: id, replaced_until: endsAt.toISOString() };
}

const noActiveKey = (id: string) => new AppError('not_found', { message: `There is no active key "${id}".` });

/** Revokes a key, given its id or the whole key. It is refused everywhere within 15 seconds. */
export async function revokeKey({ keys }: Needs, idOrKey: string) {
  const key = parseApiKey(idOrKey);
  if (!key && idOrKey.startsWith('sf_')) throw new AppError('invalid_request', { message: NOT_WHOLE });
  const id = key?.id ?? idOrKey;
  const record = await keys.find(id);
  if (record === undefined) throw new AppError('not_found', { message: `There is no key "${id}".` });
  // Anyone can make up a key with this id, which must not revoke the real one.
  if (key && !isSameKey(key, record.hash)) throw new AppError('not_found', { message: otherSecret(id) });
  await keys.save({ ...record, status: 'revoked' });
  return visible({ ...record, status: 'revoked' });
}

const NOT_WHOLE =
  'This is not a whole API key: its checksum is wrong. Use its id, the 12 characters after sf_live_ or sf_test_.';

const otherSecret = (id: string) =>
  `Key "${id}" has another secret, so this key was never valid. Nothing was revoked.`;

function visible(key: ApiKeyRecord, lastUsedAt?: Date) {
  const { id, orgId, name, last4, status, createdAt, expiresAt, createdBy, restrictions = {} } = key;
  const { routes, formats, creditsPerDay } = restrictions;
  return {
    key_id: id,
    org_id: orgId,
    name,
    last4,
    status,
    created_at: createdAt.toISOString(),
    expires_at: expiresAt?.toISOString(),
    last_used_at: lastUsedAt?.toISOString(),
    created_by: createdBy,
    routes: routes?.join(', '),
    formats: formats?.join(', '),
    credits_per_day: creditsPerDay,
  };
}
