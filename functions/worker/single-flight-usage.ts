import type { Usage } from '../../shared/contract/accounts/account.ts';
import type { UsageLedger } from '../../shared/ports/usage.ts';

/** Concurrent reads of an organization's usage share one request: a batch often has one organization. */
export function singleFlightUsage(ledger: UsageLedger): UsageLedger {
  const reads = new Map<string, Promise<Usage>>();
  return {
    ...ledger,
    read: (organization, now) => {
      const { id } = organization;
      const read = reads.get(id) ?? ledger.read(organization, now).finally(() => reads.delete(id));
      reads.set(id, read);
      return read;
    },
  };
}
