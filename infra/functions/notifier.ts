import { Duration } from 'aws-cdk-lib';
import { Architecture, type Function, RecursiveLoop } from 'aws-cdk-lib/aws-lambda';
import { invokeWithMessages } from '../constructs/consume.ts';
import { serviceFunction } from '../constructs/service-function.ts';
import { permissionsOn, readOf } from '../permissions.ts';
import type { Resources } from '../resources.ts';
import { webhookVariables } from './webhooks.ts';

/**
 * While a receiver is slow, the other places of an invocation continue. It starts nothing in its last 30 s.
 */
export const NOTIFIER_TIMEOUT = Duration.minutes(5);

/** Sends events to webhook endpoints. */
export function notifier(it: Resources): Function {
  const may = permissionsOn(it);
  const made = serviceFunction(it, 'notifier', {
    timeout: NOTIFIER_TIMEOUT,
    architecture: Architecture.ARM_64,
    // It sends itself what is due later.
    recursiveLoop: RecursiveLoop.ALLOW,
    environment: {
      ...webhookVariables(it),
      JOBS_TABLE: it.jobs.tableName,
      RESULTS_BUCKET: it.results.bucketName,
      ATTEMPTS_PER_ORGANIZATION: String(it.stage.attemptsPerOrganization),
    },
    permissions: [
      may.readAccounts,
      may.writeUsage,
      may.readWebhooks,
      may.listEndpoints,
      may.writeWebhooks,
      may.writeReceivers,
      may.sendNotices,
      may.consumeNotices,
      // Events of crawls and batches of `/v2` have their documents.
      may.readHooks,
      may.readResults,
      may.listResults,
      may.writePictures,
      readOf(it.webhookKey.secretArn),
    ],
  });
  invokeWithMessages(made, it.notices, it.stage.notifierConcurrency);
  return made;
}
