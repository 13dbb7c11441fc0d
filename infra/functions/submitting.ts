import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import { permissionsOn } from '../permissions.ts';
import type { Resources } from '../resources.ts';
import { modelVariables, premiumVariables } from './fetching.ts';

/** Where functions find the jobs that they accept or run. */
export function jobVariables(it: Resources) {
  return { ...recordVariables(it), RESULTS_BUCKET: it.results.bucketName };
}

/** The same without their pages. */
export function recordVariables(it: Resources) {
  return {
    API_URL: it.apiUrl,
    ACCOUNTS_TABLE: it.accounts.tableName,
    ACTIVITY_TABLE: it.activity.tableName,
    JOBS_TABLE: it.jobs.tableName,
    JOBS_QUEUE_URL: it.queue.queueUrl,
    WEBHOOKS_TABLE: it.webhooks.tableName,
    NOTICES_QUEUE_URL: it.notices.queueUrl,
  };
}

/** The environment of functions that accept jobs and return their results. */
export function submittingVariables(it: Resources, model: Function | undefined) {
  return {
    ...jobVariables(it),
    API_HOST: it.apiHost,
    // Only to know whether there is a secret: they may not read it.
    ...premiumVariables(it.stage),
    // They may not call it either.
    ...modelVariables(model),
  };
}

export function submittingPermissions(it: Resources): PolicyStatement[] {
  const may = permissionsOn(it);
  return [
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
  ];
}
