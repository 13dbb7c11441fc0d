import type { FunctionName, Settings } from '../config.ts';
import { type Log, openLog } from '../observe/log.ts';
import type { Count } from '../ports/effects.ts';
import type { CreditWatch } from './dynamodb/usage/usage-item.ts';
import { emfCount } from './emf-count.ts';

type Telemetry = { log: Log; count: Count; watch: CreditWatch };

/** Log and metrics of a function, and the watch over its organizations' credits. */
export function telemetryOf(
  name: FunctionName,
  config: Pick<Settings, 'AWS_LAMBDA_FUNCTION_NAME'>,
): Telemetry {
  const log = openLog(name);
  const count = emfCount(config.AWS_LAMBDA_FUNCTION_NAME);
  const watch: CreditWatch = {
    charged: (credits) => count('CreditsCharged', credits),
    anomaly: (orgId, anomaly) => {
      count('CreditsAnomalies', 1);
      log.warn('credits', { org_id: orgId, anomaly });
    },
  };
  return { log, count, watch };
}
