import type { Usage } from '../../shared/contract/accounts/account.ts';
import type { Accounts } from '../../shared/ports/accounts.ts';

/** Concurrent reads of an organization's usage share one request: a batch often has one organization. */
export function singleFlightUsage(accounts: Accounts): Accounts {
  const reads = new Map<string, Promise<Usage>>();
  return {
    ...accounts,
    usage: (organization, now) => {
      const { id } = organization;
      const read = reads.get(id) ?? accounts.usage(organization, now).finally(() => reads.delete(id));
      reads.set(id, read);
      return read;
    },
  };
}
