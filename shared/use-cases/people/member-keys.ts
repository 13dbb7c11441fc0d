import type { Person } from '../../contract/people/person.ts';
import { AppError } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';
import { revokeKey } from '../accounts/manage-keys.ts';

type Needs = Pick<Effects, 'organizations' | 'keys' | 'now'>;

const NO_LONGER = 'You are no longer a member of this organization.';

/**
 * Has a member create a key. Throws `not_found` if the membership ended meanwhile; nobody has then seen the
 * key, which is revoked.
 */
export async function createdBy<T extends { api_key: string }>(
  fx: Needs & Pick<Effects, 'people'>,
  { id, orgId, createdAt }: Person,
  create: () => Promise<T>,
): Promise<T> {
  const made = await create();
  const present = await fx.people.find(id);
  if (present?.orgId === orgId && +present.createdAt === +createdAt) return made;
  await revokeKey(fx, made.api_key);
  throw new AppError('not_found', { message: NO_LONGER });
}

/** The active keys of the organization that a member made, without keys of the playground. */
export async function keysBy(fx: Needs, { orgId, email }: Pick<Person, 'orgId' | 'email'>) {
  const keys = await fx.keys.list(orgId);
  return keys.filter(
    ({ createdBy: maker, status, expiresAt, forgetAt }) =>
      maker === email &&
      status === 'active' &&
      forgetAt === undefined &&
      (expiresAt === undefined || expiresAt > fx.now()),
  );
}

export async function revokeKeysBy(fx: Needs, maker: Pick<Person, 'orgId' | 'email'>): Promise<void> {
  await Promise.all((await keysBy(fx, maker)).map(({ id }) => revokeKey(fx, id)));
}
