import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  type NativeAttributeValue,
  paginateQuery,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';

export type TableOptions = { client: DynamoDBDocumentClient; table: string };

export type Item = Record<string, NativeAttributeValue>;
type Key = { pk: string; sk?: string };

/** When a write is done. In all expressions `#name` means the attribute `name`, unless `names` has it. */
export type Condition = {
  /** All must hold. */
  condition?: readonly string[];
  values?: Item;
  names?: Readonly<Record<string, string>>;
};

/** A conditional update. */
export type Write = Condition & {
  set?: readonly string[];
  remove?: readonly string[];
  add?: readonly string[];
};

export const IS_NEW: Condition = { condition: ['attribute_not_exists(pk)'] };
export const EXISTS: Condition = { condition: ['attribute_exists(pk)'] };

/** The item has not changed since it was read. */
export const unchanged = ({ version }: { version: number }): Condition => ({
  condition: ['version = :version'],
  values: { ':version': version },
});

type Query = Omit<Condition, 'condition'> & {
  index?: string;
  where: string;
  /** The key after which it starts. */
  after?: Item | undefined;
  limit?: number;
  isNewestFirst?: boolean;
  isConsistent?: boolean;
};

export type Table = ReturnType<typeof openTable>;

/** A table with string key `pk`, or `pk` and `sk`. Writes are false if their condition does not hold. */
export function openTable({ client, table: TableName }: TableOptions) {
  const updateOf = (Key: Key, write: Write) => ({ TableName, Key, ...updateExpressions(write) });
  const queryOf = (query: Query) => ({ TableName, ...queryExpressions(query) });

  return {
    /** With `isConsistent` false, an item of a moment ago for half the price. */
    get: async (Key: Key, { isConsistent = true } = {}): Promise<Item | undefined> =>
      (await client.send(new GetCommand({ TableName, Key, ConsistentRead: isConsistent }))).Item,

    put: (Item: Item & Key, when: Condition = {}): Promise<boolean> =>
      wasDone(client.send(new PutCommand({ TableName, Item, ...expressions(when) }))),

    update: (key: Key, write: Write): Promise<boolean> =>
      wasDone(client.send(new UpdateCommand(updateOf(key, write)))),

    /** The item after the update; undefined if its condition did not hold. */
    updated: async (key: Key, write: Write): Promise<Item | undefined> => {
      const update = new UpdateCommand({ ...updateOf(key, write), ReturnValues: 'ALL_NEW' });
      let after: Item | undefined;
      await wasDone(client.send(update).then(({ Attributes = {} }) => (after = Attributes)));
      return after;
    },

    remove: (Key: Key, when: Condition = {}): Promise<boolean> =>
      wasDone(client.send(new DeleteCommand({ TableName, Key, ...expressions(when) }))),

    /** Of one page. `last` is where the next page begins, absent at the end. */
    query: async (query: Query): Promise<{ items: Item[]; last: Item | undefined }> => {
      const { Items = [], LastEvaluatedKey } = await client.send(new QueryCommand(queryOf(query)));
      return { items: Items, last: LastEvaluatedKey };
    },

    /** Of all pages, which are read when needed. The limit applies to a page. */
    each: async function* (query: Query): AsyncGenerator<Item> {
      const { Limit, ...input } = queryOf(query);
      const pages = paginateQuery({ client, ...(Limit !== undefined && { pageSize: Limit }) }, input);
      for await (const { Items = [] } of pages) yield* Items;
    },
  };
}

/** Items of one kind: their schema, and how their keys are made. Items of other kinds share the table. */
export function itemKind<Schema extends z.ZodType<unknown, Item>, Id>(
  table: Table,
  schema: Schema,
  keyOf: (id: Id) => Key,
) {
  return {
    find: async (id: Id, options?: { isConsistent: boolean }) => {
      const item = await table.get(keyOf(id), options);
      return item && schema.parse(item);
    },
    put: (id: Id, value: z.output<Schema>, when?: Condition) =>
      table.put({ ...keyOf(id), ...z.encode(schema, value) }, when),
    update: (id: Id, write: Write) => table.update(keyOf(id), write),
    remove: (id: Id, when?: Condition) => table.remove(keyOf(id), when),
  };
}

/** An organization's items whose keys begin so, by the index `by_org` (`org_id`, `pk`). */
export async function itemsOf(table: Table, orgId: string, prefix: string): Promise<Item[]> {
  const where = 'org_id = :org AND begins_with(pk, :prefix)';
  const values = { ':org': orgId, ':prefix': prefix };
  const found: Item[] = [];
  for await (const item of table.each({ index: 'by_org', where, values })) found.push(item);
  return found;
}

/** Several writes as one. Of values with the same name, the last counts. */
export function joined(...parts: readonly Write[]): Write {
  return {
    condition: parts.flatMap(({ condition = [] }) => condition),
    set: parts.flatMap(({ set = [] }) => set),
    remove: parts.flatMap(({ remove = [] }) => remove),
    add: parts.flatMap(({ add = [] }) => add),
    values: Object.assign({}, ...parts.map(({ values }) => values)) as Item,
    names: Object.assign({}, ...parts.map(({ names }) => names)) as Record<string, string>,
  };
}

function updateExpressions({ set = [], remove = [], add = [], ...when }: Write) {
  const clauses = Object.entries({ SET: set, REMOVE: remove, ADD: add });
  const parts = clauses
    .filter(([, list]) => list.length > 0)
    .map(([verb, list]) => `${verb} ${list.join(', ')}`);
  // An admission without anything to hold is only a condition.
  const UpdateExpression = parts.join(' ') || undefined;
  return { UpdateExpression, ...expressions(when, UpdateExpression) };
}

function queryExpressions({ index, where, after, limit, isNewestFirst, isConsistent, ...rest }: Query) {
  return {
    KeyConditionExpression: where,
    ...expressions(rest, where),
    ...(index !== undefined && { IndexName: index }),
    ...(after && { ExclusiveStartKey: after }),
    ...(limit !== undefined && { Limit: limit }),
    ...(isNewestFirst && { ScanIndexForward: false }),
    ...(isConsistent && { ConsistentRead: true }),
  };
}

/** The parts of a request that all expressions share. `besides` is another one with names. */
function expressions({ condition = [], values = {}, names = {} }: Condition, besides = '') {
  const ConditionExpression = condition.join(' AND ') || undefined;
  const used = `${besides} ${ConditionExpression}`.matchAll(/#(\w+)/g);
  const plain = Object.fromEntries(used.map(([name, attribute = '']) => [name, attribute]));
  return {
    ConditionExpression,
    ExpressionAttributeValues: nonEmpty(values),
    ExpressionAttributeNames: nonEmpty({ ...plain, ...names }),
  };
}

/** DynamoDB rejects an empty map of names or values. */
function nonEmpty<T extends object>(map: T): T | undefined {
  return Object.keys(map).length > 0 ? map : undefined;
}

/** False if the write's condition did not hold. */
async function wasDone(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
