import { randomBytes } from 'node:crypto';
import type { KeyRoute } from '../../contract/accounts/account.ts';
import type { Person } from '../../contract/people/person.ts';
import { createApiKey, hashApiKey } from '../../domain/accounts/api-key.ts';
import type { Effects } from '../../ports/effects.ts';
import { addMs } from '../../time/units.ts';

type Needs = Pick<Effects, 'keys' | 'now'>;

const LASTS_MS = 10 * 60 * 1_000;

/** Creates a key for one page, which lasts ten minutes and may only scrape. Only the result holds it. */
export const createPlaygroundKey = (fx: Needs, person: Person) =>
  createPageKey(fx, person, { name: 'Playground', routes: ['scrape'] });

/** Creates a key for one submit of the dashboard, which lasts ten minutes too. */
export const createSubmitKey = (fx: Needs, person: Person) =>
  createPageKey(fx, person, { name: 'Dashboard', routes: ['jobs'] });

async function createPageKey(
  { keys, now }: Needs,
  { orgId, email }: Person,
  { name, routes }: { name: string; routes: KeyRoute[] },
) {
  const key = createApiKey('live', randomBytes);
  const createdAt = now();
  const expiresAt = addMs(createdAt, LASTS_MS);
  await keys.save({
    id: key.id,
    hash: hashApiKey(key),
    orgId,
    name,
    last4: key.text.slice(-4),
    mode: 'live',
    status: 'active',
    createdAt,
    createdBy: email,
    expiresAt,
    forgetAt: expiresAt,
    restrictions: { routes },
  });
  return { api_key: key.text, expires_at: expiresAt.toISOString() };
}

/** Revokes the playground keys of all open pages. A member's page creates a new one when it needs it. */
export async function endPlaygroundKeys(fx: Needs, orgId: string): Promise<void> {
  const keys = await fx.keys.list(orgId);
  const open = keys.filter(({ forgetAt, status }) => forgetAt && forgetAt > fx.now() && status === 'active');
  await Promise.all(open.map((key) => fx.keys.save({ ...key, status: 'revoked' })));
}
