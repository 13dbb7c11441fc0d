import { Duration } from 'aws-cdk-lib';
import { Architecture, type Function } from 'aws-cdk-lib/aws-lambda';
import { consume } from '../constructs/consume.ts';
import { serviceFunction } from '../constructs/service-function.ts';
import { permissionsOn, readOf } from '../permissions.ts';
import type { Resources } from '../resources.ts';
import { webhookVariables } from './webhooks.ts';

/** A receiver has 15 s to respond; the rest is for what is written before and after. */
export const NOTIFIER_TIMEOUT = Duration.seconds(60);

/** Sends events to webhook endpoints. */
export function notifier(it: Resources): Function {
  const may = permissionsOn(it);
  const made = serviceFunction(it, 'notifier', {
    timeout: NOTIFIER_TIMEOUT,
    architecture: Architecture.ARM_64,
    environment: webhookVariables(it),
    permissions: [
      may.readAccounts,
      may.writeUsage,
      may.readWebhooks,
      may.listEndpoints,
      may.writeWebhooks,
      may.writeReceivers,
      may.sendNotices,
      may.consumeNotices,
      readOf(it.webhookKey.secretArn),
    ],
  });
  consume(made, it.notices, it.stage.notifierConcurrency);
  return made;
}
