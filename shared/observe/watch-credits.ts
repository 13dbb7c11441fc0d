import type { CreditWatch } from '../adapters/dynamodb-usage.ts';
import type { Count } from '../ports.ts';
import type { Log } from './log.ts';

/** Counts the credits that are charged, and tells of each anomaly whose it is. */
export function watchCredits(count: Count, log: Log): CreditWatch {
  return {
    charged: (credits) => count('CreditsCharged', credits),
    anomaly: (orgId, anomaly) => {
      count('CreditsAnomalies', 1);
      log.warn('credits', { org_id: orgId, anomaly });
    },
  };
}
