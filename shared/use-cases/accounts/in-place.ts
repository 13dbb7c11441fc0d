import type { Organization } from '../../contract/accounts/account.ts';
import { shortId } from '../../domain/accounts/credits/short-id.ts';
import { AppError } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';

export type PlaceNeeds = Pick<Effects, 'usage' | 'now'>;

type Place = {
  organization: Organization;
  /** The holder. The same id gets the same place again. */
  id: string;
  /** Longer than the function may run, so that others free only the place of a dead one. */
  until: Date;
};

/** Works in one of the places that an organization's calls share. Throws `too_many_concurrent`. */
export async function inPlace<T>(
  fx: PlaceNeeds,
  { organization, id, until }: Place,
  work: () => Promise<T>,
): Promise<T> {
  const reader = { id: shortId(id), until };
  const admission = await fx.usage.admit(organization, { credits: 0, reader }, fx.now());
  if (admission.outcome === 'refused') {
    const { retryAfter } = admission;
    const wait = retryAfter === 1 ? '1 second' : `${retryAfter} seconds`;
    const message = `Your organization reads much at the same time. Try again in ${wait}.`;
    throw new AppError('too_many_concurrent', { message, retryAfter });
  }
  try {
    return await work();
  } finally {
    // If this fails, the place expires.
    await fx.usage.release(organization, reader.id).catch(() => undefined);
  }
}
