import { Duration } from 'aws-cdk-lib';
import { Architecture, type Function } from 'aws-cdk-lib/aws-lambda';
import { serviceFunction } from '../constructs/service-function.ts';
import { permissionsOn, readOf } from '../permissions.ts';
import type { Resources } from '../resources.ts';

/** The environment of functions that work with endpoints and their secrets. */
export function webhookVariables(it: Resources) {
  return {
    ACCOUNTS_TABLE: it.accounts.tableName,
    WEBHOOKS_TABLE: it.webhooks.tableName,
    NOTICES_QUEUE_URL: it.notices.queueUrl,
    WEBHOOK_KEY_ARN: it.webhookKey.secretArn,
    API_HOST: it.apiHost,
  };
}

/** Manages endpoints, and shows their deliveries. */
export function webhooks(it: Resources): Function {
  const may = permissionsOn(it);
  return serviceFunction(it, 'webhooks', {
    timeout: Duration.seconds(30),
    architecture: Architecture.ARM_64,
    environment: { ...webhookVariables(it), API_URL: it.apiUrl, ACTIVITY_TABLE: it.activity.tableName },
    permissions: [
      may.readAccounts,
      may.writeUsage,
      may.readActivity,
      may.readWebhooks,
      may.listWebhooks,
      may.writeWebhooks,
      may.deleteEndpoints,
      may.sendNotices,
      readOf(it.webhookKey.secretArn),
    ],
  });
}
