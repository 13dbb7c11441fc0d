import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
} from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import { camelCased } from '../../contract/case.ts';
import { Job } from '../../contract/job.ts';
import { epochSeconds, isoDate } from '../../contract/time.ts';
import type { IdempotencyClaim, Jobs } from '../../ports.ts';

/** Partitions of the sparse index of unfinished jobs, so that none runs hot. */
const OPEN_SHARDS = 10;

type Options = { client: DynamoDBDocumentClient; table: string };

/** The Jobs port on a DynamoDB table with string key `pk` and index `open` (`open_shard`, `due_at`). */
export function dynamodbJobs({ client, table }: Options): Jobs {
  const put = (
    item: object,
    condition: string,
    values?: Record<string, unknown>,
    names?: Record<string, string>,
  ) =>
    wasDone(
      client.send(
        new PutCommand({
          TableName: table,
          Item: item as Record<string, unknown>,
          ConditionExpression: condition,
          ExpressionAttributeValues: values,
          ExpressionAttributeNames: names,
        }),
      ),
    );
  const get = async (pk: string) =>
    (await client.send(new GetCommand({ TableName: table, Key: { pk }, ConsistentRead: true }))).Item;

  const dueIn = async (shard: number, now: Date, limit: number) => {
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName: table,
        IndexName: 'open',
        KeyConditionExpression: 'open_shard = :shard AND due_at <= :now',
        ExpressionAttributeValues: { ':shard': String(shard), ':now': z.encode(isoDate, now) },
        Limit: limit,
      }),
    );
    return Items.map((item) => Job.safeParse(item).data ?? String(item['pk']));
  };

  return {
    create: (job) => put(toItem(job), 'attribute_not_exists(pk)'),

    find: async (id) => {
      const item = await get(id);
      return item && Job.parse(item);
    },

    replace: (before, after) =>
      put(
        toItem(after),
        '#status = :status AND fencing_token = :token',
        { ':status': before.status, ':token': before.fencingToken },
        { '#status': 'status' },
      ),

    due: async (now, limit) => {
      const shards = Array.from({ length: OPEN_SHARDS }, (_, shard) => dueIn(shard, now, limit));
      const found = (await Promise.all(shards)).flat();
      const jobs = found.filter((job) => typeof job !== 'string').sort((a, b) => dueTime(a) - dueTime(b));
      return { jobs: jobs.slice(0, limit), unreadable: found.filter((job) => typeof job === 'string') };
    },

    claimKey: async (claim, now, previous) => {
      const item = { pk: claimId(claim), ...z.encode(StoredClaim, claim) };
      const isFree = 'attribute_not_exists(pk) OR expires_at <= :now';
      const condition = previous ? `${isFree} OR locked_until = :previous` : isFree;
      const values = {
        ':now': z.encode(epochSeconds, now),
        ...(previous && { ':previous': previous.lockedUntil }),
      };
      for (;;) {
        if (await put(item, condition, values)) return claim;
        const held = await get(item.pk);
        // Released meanwhile, so it can be claimed again.
        if (held) return StoredClaim.parse(held);
      }
    },

    heldKey: async (claim, now) => {
      const item = await get(claimId(claim));
      const held = item && StoredClaim.parse(item);
      return held && held.expiresAt > now ? held : undefined;
    },

    releaseKey: async (claim) => {
      await wasDone(
        client.send(
          new DeleteCommand({
            TableName: table,
            Key: { pk: claimId(claim) },
            ConditionExpression: 'job_id = :job AND locked_until = :lock',
            ExpressionAttributeValues: { ':job': claim.jobId, ':lock': claim.lockedUntil },
          }),
        ),
      );
    },
  };
}

const StoredClaim = camelCased(
  z.object({
    org_id: z.string(),
    key: z.string(),
    body_hash: z.string(),
    job_id: z.string(),
    locked_until: z.number(),
    expires_at: epochSeconds,
  }),
);

function claimId({ orgId, key }: Pick<IdempotencyClaim, 'orgId' | 'key'>): string {
  return `IDEMPOTENCY#${orgId}#${key}`;
}

/** Only a job with work left has a shard and appears in the sparse index. */
function toItem(job: Job) {
  const shard = job.dueAt === undefined ? {} : { open_shard: shardOf(job.id) };
  return { pk: job.id, ...z.encode(Job, job), ...shard };
}

/** The last characters of a UUIDv7 are random. */
function shardOf(id: string): string {
  return String(Number.parseInt(id.slice(-4), 16) % OPEN_SHARDS);
}

function dueTime({ dueAt }: Job): number {
  return dueAt?.getTime() ?? 0;
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
