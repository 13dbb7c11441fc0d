import { listKeys } from '../../shared/use-cases/accounts/manage-keys.ts';
import type { Needs } from './needs.ts';

export type KeyNames = {
  /** By id, revoked ones included. */
  all: ReadonlyMap<string, string>;
  nameOf: (id: string) => string;
};

/** Pages make keys for themselves, which are kept for minutes. No other key is ever forgotten. */
export const PAGE = 'playground';

/** The names of an organization's keys. */
export async function keyNames(
  fx: Pick<Needs, 'organizations' | 'keys' | 'usage' | 'now'>,
  orgId: string,
): Promise<KeyNames> {
  const { keys } = await listKeys(fx, orgId);
  const all = new Map(keys.map(({ key_id, name }) => [key_id, name]));
  return { all, nameOf: (id) => all.get(id) ?? PAGE };
}
