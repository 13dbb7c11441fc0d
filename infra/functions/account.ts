import { Duration } from 'aws-cdk-lib';
import { Architecture, type Function } from 'aws-cdk-lib/aws-lambda';
import { serviceFunction } from '../constructs/service-function.ts';
import { permissionsOn } from '../permissions.ts';
import type { Resources } from '../resources.ts';

/** Shows organizations their limits, usage and activity. */
export function account(it: Resources): Function {
  const may = permissionsOn(it);
  return serviceFunction(it, 'account', {
    timeout: Duration.seconds(30),
    architecture: Architecture.ARM_64,
    environment: {
      API_URL: it.apiUrl,
      ACCOUNTS_TABLE: it.accounts.tableName,
      ACTIVITY_TABLE: it.activity.tableName,
    },
    permissions: [may.readAccounts, may.writeUsage, may.readActivity, may.listActivity],
  });
}
