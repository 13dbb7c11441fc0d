import {
  BatchWriteCommand,
  type BatchWriteCommandInput,
  type NativeAttributeValue,
  paginateQuery,
  paginateScan,
} from '@aws-sdk/lib-dynamodb';
import { busy } from '../../../errors.ts';
import type { Store, StoredThing } from '../../../ports/accounts.ts';
import { forEachConcurrently } from '../../../time/for-each-concurrently.ts';
import { countKeys } from '../batches/dynamodb-chunks.ts';
import type { TableOptions } from '../table.ts';

type Item = Record<string, NativeAttributeValue>;
type Requests = NonNullable<BatchWriteCommandInput['RequestItems']>;

/** DynamoDB's maximum of one BatchWriteItem. */
const CONCURRENCY = 25;
const CALLS = 8;
const MAX_ROUNDS = 10;
const ROUND_MS = 200;

/** By what a key begins with. Others are named after that: `CACHE#…` is `cache`. */
const KINDS: Readonly<Record<string, string | undefined>> = {
  BATCH: 'batches',
  CHUNK: 'chunks',
  CRAWL: 'crawls',
  DELIVERIES: 'deliveries',
  ENDPOINTS: 'endpoints',
  IDEMPOTENCY: 'idempotency_keys',
  INVITATION: 'invitations',
  KEY: 'keys',
  LOCK: undefined,
  RECEIVER: undefined,
  USAGE: 'usage',
  USER: 'members',
  WAITING: undefined,
};

type Options = TableOptions & {
  wait: (ms: number) => Promise<void>;
  /** Keys that stay. */
  keeps?: (orgId: string) => readonly string[];
};

/**
 * The items of organizations in a table. An item is an organization's if it has its id as `org_id`, or as the
 * second part of its key. No index has all of them, so this reads the whole table.
 */
export function organizationItems({ keeps = () => [], ...options }: Options): Store {
  const { client, table: TableName } = options;
  return {
    find: async function* (orgId) {
      const scan = {
        TableName,
        FilterExpression: 'org_id = :org OR contains(pk, :org)',
        ExpressionAttributeValues: { ':org': orgId },
        ProjectionExpression: 'pk, sk, org_id, #upload.#chunks',
        ExpressionAttributeNames: { '#upload': 'upload', '#chunks': 'chunks' },
      };
      for await (const { Items = [] } of paginateScan({ client }, scan)) {
        const own = Items.filter((item) => isOwn(item, orgId) && !keeps(orgId).includes(String(item['pk'])));
        // Without its batch, nothing would name a part.
        yield own.flatMap(countersOf);
        yield own.map((item) => ({ kind: kindOf(String(item['pk'])), key: keyIn(item) }));
      }
    },
    remove: (things) => removeItems(options, things),
  };
}

type Partition = { kind: string; partition: (orgId: string) => string };

/** The items of organizations in a table that has a partition for each. */
export function itemsUnder(options: Options, { kind, partition }: Partition): Store {
  const { client, table: TableName } = options;
  return {
    find: async function* (orgId) {
      const query = {
        TableName,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': partition(orgId) },
        ProjectionExpression: 'pk, sk',
      };
      for await (const { Items = [] } of paginateQuery({ client }, query))
        yield Items.map((item) => ({ kind, key: keyIn(item) }));
    },
    remove: (things) => removeItems(options, things),
  };
}

/** The caller's part of a key may be the id of another organization. */
function isOwn({ pk, org_id: owner }: Item, orgId: string): boolean {
  return owner === orgId || String(pk).split('#')[1] === orgId;
}

function kindOf(pk: string): string | undefined {
  const [prefix = '', rest] = pk.split('#');
  if (rest === undefined) return 'jobs';
  return Object.hasOwn(KINDS, prefix) ? KINDS[prefix] : prefix.toLowerCase();
}

/** The items that count how the requests of a batch ended. */
function countersOf({ pk, upload }: Item): StoredThing[] {
  const [prefix, id = ''] = String(pk).split('#');
  if (prefix !== 'BATCH') return [];
  const chunks = (upload as { chunks?: number } | undefined)?.chunks;
  return countKeys(id, chunks ?? 0).map((key) => ({ key: { pk: key } }));
}

function keyIn({ pk, sk }: Item): StoredThing['key'] {
  return { pk: String(pk), ...(sk !== undefined && { sk: String(sk) }) };
}

async function removeItems(options: Options, things: readonly StoredThing[]): Promise<void> {
  const starts = Array.from({ length: Math.ceil(things.length / CONCURRENCY) }, (_, n) => n * CONCURRENCY);
  const portions = starts.map((start) => things.slice(start, start + CONCURRENCY));
  await forEachConcurrently(CALLS, portions, async (portion) => removePortion(options, portion));
}

async function removePortion({ client, table, wait }: Options, things: readonly StoredThing[]) {
  let left: Requests = { [table]: things.map(({ key: Key }) => ({ DeleteRequest: { Key } })) };
  for (let round = 0; Object.keys(left).length > 0; round++) {
    if (round === MAX_ROUNDS) throw busy();
    if (round > 0) await wait(ROUND_MS * round);
    const { UnprocessedItems = {} } = await client.send(new BatchWriteCommand({ RequestItems: left }));
    left = UnprocessedItems;
  }
}
