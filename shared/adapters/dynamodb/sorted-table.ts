import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type TableOptions, wasDone } from './conditional-table.ts';

type Item = Record<string, unknown>;
type Key = { pk: string; sk: string };
type Change = Omit<ConstructorParameters<typeof UpdateCommand>[0], 'TableName' | 'Key'>;

/** A table with string keys `pk` and `sk`. Writes return false if their condition does not hold. */
export function sortedTable({ client, table: TableName }: TableOptions) {
  return {
    get: async (Key: Key): Promise<Item | undefined> =>
      (await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item,

    add: (Item: Item & Key): Promise<boolean> =>
      wasDone(
        client.send(new PutCommand({ TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' })),
      ),

    /** Overwrites an item that still has this version. */
    replace: (Item: Item & Key, version: number): Promise<boolean> =>
      wasDone(
        client.send(
          new PutCommand({
            TableName,
            Item,
            ConditionExpression: 'version = :version',
            ExpressionAttributeValues: { ':version': version },
          }),
        ),
      ),

    update: (Key: Key, change: Change) =>
      wasDone(client.send(new UpdateCommand({ TableName, Key, ...change }))),

    /** The item after the update; undefined if its condition did not hold. */
    updated: async (Key: Key, change: Change): Promise<Item | undefined> => {
      const update = new UpdateCommand({ TableName, Key, ...change, ReturnValues: 'ALL_NEW' });
      let after: Item | undefined;
      await wasDone(client.send(update).then(({ Attributes }) => (after = Attributes)));
      return after;
    },

    remove: async (Key: Key): Promise<void> => {
      await client.send(new DeleteCommand({ TableName, Key }));
    },
  };
}
