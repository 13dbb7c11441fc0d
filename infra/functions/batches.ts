import { Duration } from 'aws-cdk-lib';
import { Architecture, type Function } from 'aws-cdk-lib/aws-lambda';
import { serviceFunction } from '../constructs/service-function.ts';
import { permissionsOn } from '../permissions.ts';
import type { Resources } from '../resources.ts';
import { premiumVariables } from './fetching.ts';

/** Submits batches, and streams their results. */
export function batches(it: Resources): Function {
  const may = permissionsOn(it);
  return serviceFunction(it, 'batches', {
    // For a slow reader of results with their pages.
    timeout: Duration.seconds(300),
    architecture: Architecture.ARM_64,
    environment: {
      ACCOUNTS_TABLE: it.accounts.tableName,
      ACTIVITY_TABLE: it.activity.tableName,
      JOBS_TABLE: it.jobs.tableName,
      RESULTS_BUCKET: it.results.bucketName,
      JOBS_QUEUE_URL: it.queue.queueUrl,
      WEBHOOKS_TABLE: it.webhooks.tableName,
      NOTICES_QUEUE_URL: it.notices.queueUrl,
      API_HOST: it.apiHost,
      // Only to know whether there is a secret: it may not read it.
      ...premiumVariables(it.stage),
    },
    permissions: [
      may.readAccounts,
      may.writeUsage,
      may.noteWaiting,
      may.readActivity,
      may.writeActivity,
      may.writeJobs,
      may.changeBatches,
      may.listJobs,
      may.listJobIds,
      may.readResults,
      may.listResults,
      may.sendJobs,
      may.readEndpoints,
      may.listEndpoints,
      may.addDeliveries,
      may.sendNotices,
    ],
  });
}
