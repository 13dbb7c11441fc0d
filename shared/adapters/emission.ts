import type { SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Environment } from '../config.ts';
import type { WebhookEffects } from '../ports/webhooks.ts';
import { dynamodbDeliveries } from './dynamodb/webhooks/dynamodb-deliveries.ts';
import { dynamodbWebhooks } from './dynamodb/webhooks/dynamodb-webhooks.ts';
import { sqsNotices } from './sqs-notices.ts';

/** The ports that emit events. */
export function emission(
  client: DynamoDBDocumentClient,
  queue: SQSClient,
  config: Pick<Environment<'worker'>, 'WEBHOOKS_TABLE' | 'NOTICES_QUEUE_URL'>,
): Pick<WebhookEffects, 'webhooks' | 'deliveries' | 'notices'> {
  const table = { client, table: config.WEBHOOKS_TABLE };
  return {
    webhooks: dynamodbWebhooks(table),
    deliveries: dynamodbDeliveries(table),
    notices: sqsNotices({ client: queue, queueUrl: config.NOTICES_QUEUE_URL }),
  };
}
