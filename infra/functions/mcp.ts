import { Duration } from 'aws-cdk-lib';
import { Architecture, type Function } from 'aws-cdk-lib/aws-lambda';
import { serviceFunction } from '../constructs/service-function.ts';
import { permissionsOn } from '../permissions.ts';
import type { Resources } from '../resources.ts';

/** Tools for agents. It reaches pages and jobs as any caller does: by the API, with the caller's key. */
export function mcp(it: Resources): Function {
  const may = permissionsOn(it);
  return serviceFunction(it, 'mcp', {
    // A tool gives up within a minute; the rest is for a slow reader.
    timeout: Duration.seconds(120),
    architecture: Architecture.ARM_64,
    environment: {
      API_URL: it.apiUrl,
      ACCOUNTS_TABLE: it.accounts.tableName,
      ACTIVITY_TABLE: it.activity.tableName,
    },
    permissions: [may.readAccounts, may.writeUsage, may.readActivity],
  });
}
