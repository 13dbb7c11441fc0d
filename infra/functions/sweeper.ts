import { Duration } from 'aws-cdk-lib';
import { Architecture, type Function } from 'aws-cdk-lib/aws-lambda';
import { serviceFunction } from '../constructs/service-function.ts';
import { permissionsOn } from '../permissions.ts';
import type { Resources } from '../resources.ts';

export const SWEEPER_TIMEOUT = Duration.seconds(60);

/** Repairs unfinished jobs and leaked slots every minute, and handles dead letters. */
export function sweeper(it: Resources): Function {
  return serviceFunction(it, 'sweeper', {
    timeout: SWEEPER_TIMEOUT,
    architecture: Architecture.ARM_64,
    environment: {
      ACCOUNTS_TABLE: it.accounts.tableName,
      JOBS_TABLE: it.jobs.tableName,
      JOBS_QUEUE_URL: it.queue.queueUrl,
      CHROMIUM_RELEASED: it.code.chromium.released,
    },
    permissions: permissionsOn(it).sweeper,
  });
}
