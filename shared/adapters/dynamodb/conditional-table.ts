import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';

export type TableOptions = { client: DynamoDBDocumentClient; table: string };

type Values = Record<string, unknown>;

/** A table with string key `pk`. Writes return false if their condition does not hold. */
export type ConditionalTable = {
  get: (pk: string) => Promise<Values | undefined>;
  put: (
    item: Values,
    condition?: string,
    values?: Values,
    names?: Record<string, string>,
  ) => Promise<boolean>;
  remove: (
    pk: string,
    condition: string,
    values?: Values,
    names?: Record<string, string>,
  ) => Promise<boolean>;
};

export function conditionalTable({ client, table: TableName }: TableOptions): ConditionalTable {
  return {
    get: async (pk) =>
      (await client.send(new GetCommand({ TableName, Key: { pk }, ConsistentRead: true }))).Item,
    put: (Item, ConditionExpression, ExpressionAttributeValues, ExpressionAttributeNames) =>
      wasDone(
        client.send(
          new PutCommand({
            TableName,
            Item,
            ConditionExpression,
            ExpressionAttributeValues,
            ExpressionAttributeNames,
          }),
        ),
      ),
    remove: (pk, ConditionExpression, ExpressionAttributeValues, ExpressionAttributeNames) =>
      wasDone(
        client.send(
          new DeleteCommand({
            TableName,
            Key: { pk },
            ConditionExpression,
            ExpressionAttributeValues,
            ExpressionAttributeNames,
          }),
        ),
      ),
  };
}

/** False if the write's condition did not hold. */
export async function wasDone(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
