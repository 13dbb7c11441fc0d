import type { CreditWatch } from './dynamodb/usage/usage-item.ts';
import { emfCount } from './emf-count.ts';
import type { FunctionName } from '../config.ts';
import type { Count } from '../ports/effects.ts';
import { type Log, openLog } from '../observe/log.ts';

export function instruments(name: FunctionName, config: { AWS_LAMBDA_FUNCTION_NAME: string }) {
  const log = openLog(name);
  const count = emfCount(config.AWS_LAMBDA_FUNCTION_NAME);
  return { log, count, watch: watchCredits(count, log) };
}

function watchCredits(count: Count, log: Log): CreditWatch {
  return {
    charged: (credits) => count('CreditsCharged', credits),
    anomaly: (orgId, anomaly) => {
      count('CreditsAnomalies', 1);
      log.warn('credits', { org_id: orgId, anomaly });
    },
  };
}
