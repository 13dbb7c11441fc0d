import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type TableOptions, wasDone } from './conditional-table.ts';

type Change = { condition: string; values: Record<string, unknown>; names?: Record<string, string> };

/** Changes an item of a table with string key `pk`. False, without any change, if the condition fails. */
export function conditionalUpdates({ client, table: TableName }: TableOptions) {
  return (pk: string, UpdateExpression: string, { condition, values, names }: Change): Promise<boolean> =>
    wasDone(
      client.send(
        new UpdateCommand({
          TableName,
          Key: { pk },
          UpdateExpression,
          ConditionExpression: condition,
          ExpressionAttributeValues: values,
          ExpressionAttributeNames: names,
        }),
      ),
    );
}
