import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { paginateScan, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { documentClient } from '../shared/adapters/clients.ts';
import { isOfJob, slotUntil } from '../shared/domain/accounts/credits/slots.ts';
import { addMs } from '../shared/time/units.ts';

export type KeptWork = { jobs: number; unfinished: number; released: number };

type Item = Record<string, unknown>;

const FINISHED = ['completed', 'failed'];
/** Chunks of an upload that a worker runs, or whose lines are charged. */
const IN_HAND = ['running', 'settling'];
/** Longer than an attempt takes, and than the sweeper waits for the process that took a slot. */
const LONG_AGO_MS = 10 * 60_000;

/** The table of an item, the attributes to read, and the attributes to set: undefined if it stays. */
type Rule = { table: string; read: readonly string[]; set: (item: Item, now: Date) => Item | undefined };

/**
 * What processes hold by time: jobs, chunks, crawls and submits, slots, and places of readers, at receivers
 * and at hosts.
 */
const RULES: readonly Rule[] = [
  {
    table: 'jobs',
    read: ['status', 'slot', 'lease_until', 'leased_until', 'due_at', 'locked_until', 'crawls'],
    set: withoutOwner,
  },
  { table: 'accounts', read: ['slots', 'readers'], set: withoutHolders },
  {
    table: 'webhooks',
    read: ['in_flight'],
    set: ({ in_flight: places }, now) => endedAt(now, { in_flight: places }),
  },
];

/**
 * Ends what processes of the last run held: none is left, so unfinished work need not wait for their leases.
 * Counts the jobs.
 */
export async function releaseKeptWork(
  dynamodb: DynamoDBClient,
  tables: Record<string, string>,
): Promise<KeptWork> {
  const client = documentClient(dynamodb);
  const now = new Date();
  const work = { jobs: 0, unfinished: 0, released: 0 };
  for (const { table, read, set } of RULES) {
    const TableName = tables[table];
    for await (const item of itemsIn(client, TableName, read)) {
      if (isJob(item)) {
        work.jobs += 1;
        work.unfinished += FINISHED.includes(String(item['status'])) ? 0 : 1;
      }
      const changed = set(item, now);
      if (changed === undefined) continue;
      const { pk, sk } = item;
      const Key = { pk, ...(sk !== undefined && { sk }) };
      await client.send(new UpdateCommand({ TableName, Key, ...assigning(changed) }));
      work.released += 1;
    }
  }
  return work;
}

async function* itemsIn(
  client: ReturnType<typeof documentClient>,
  TableName: string | undefined,
  read: readonly string[],
): AsyncGenerator<Item> {
  const names = ['pk', 'sk', ...read];
  const scan = {
    TableName,
    ProjectionExpression: names.map((name) => `#${name}`).join(),
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
  };
  for await (const { Items = [] } of paginateScan({ client }, scan)) yield* Items;
}

function assigning(changed: Item) {
  const names = Object.keys(changed);
  return {
    UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join()}`,
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: Object.fromEntries(names.map((name) => [`:${name}`, changed[name]])),
  };
}

/** Batches, chunks and keys of submits have a prefix. */
function isJob({ pk, status }: Item): boolean {
  return status !== undefined && !String(pk).includes('#');
}

function withoutOwner(item: Item, now: Date): Item | undefined {
  const status = String(item['status']);
  const over = now.toISOString();
  if (Number(item['locked_until']) > now.getTime()) return { locked_until: now.getTime() };
  // Without a slot it waits for its next attempt, as it did before.
  if (isJob(item) && status === 'running' && item['slot'] !== undefined) return { lease_until: over };
  if (item['leased_until'] !== undefined) return { leased_until: over, due_at: over };
  if (String(item['pk']).startsWith('HOST#')) return withoutPlaces(item);
  if (String(item['pk']).startsWith('CHUNK#') && IN_HAND.includes(status)) return { due_at: over };
  return undefined;
}

/** Pauses and delays stay: hosts do not know of the restart. */
function withoutPlaces({ crawls }: Item): Item | undefined {
  const all = Object.entries((crawls ?? {}) as Record<string, { places: object }>);
  if (all.every(([, { places }]) => Object.keys(places).length === 0)) return undefined;
  return { crawls: Object.fromEntries(all.map(([id, own]) => [id, { ...own, places: {} }])) };
}

type Slots = Record<string, [credits: number, until: number, period: string]>;

/** A slot of a job says by its end when it was taken. The others lapse. */
function withoutHolders({ slots, readers }: Item, now: Date): Item | undefined {
  const ofJob = slotUntil(addMs(now, -LONG_AGO_MS)).getTime();
  const ended = Object.entries((slots ?? {}) as Slots).map(([id, [credits, until, period]]) => {
    return [id, [credits, Math.min(until, isOfJob(id) ? ofJob : now.getTime()), period]] as const;
  });
  const changed = {
    ...(ended.length > 0 && { slots: Object.fromEntries(ended) }),
    ...endedAt(now, { readers }),
  };
  return Object.keys(changed).length > 0 ? changed : undefined;
}

/** Attributes with the end of each place, in unix milliseconds. */
function endedAt(now: Date, attributes: Record<string, unknown>): Item | undefined {
  const filled = Object.entries(attributes).filter(([, places]) => Object.keys(places ?? {}).length > 0);
  if (filled.length === 0) return undefined;
  const ended = (places: unknown) =>
    Object.fromEntries(Object.keys(places as object).map((place) => [place, now.getTime()]));
  return Object.fromEntries(filled.map(([name, places]) => [name, ended(places)]));
}
