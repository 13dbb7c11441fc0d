import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import type { Chunk } from '../../contract/chunk.ts';
import { epochSeconds } from '../../contract/time.ts';
import { linesLeft, partsOf } from '../../domain/upload/chunk-state.ts';
import type { ChunkProgress, Chunks } from '../../upload-ports.ts';
import { batchGetAll } from './batch-get.ts';
import { type TableOptions, wasDone } from './conditional-table.ts';

/** Chunks that one item counts. Each count writes the whole item, so it stays under the 1 KB of one unit. */
const PART = 20;

/** The version first, then what `progressIn` reads. */
const Entry = z.tuple([z.int(), z.int(), z.int(), z.int(), z.int(), z.int(), z.int()]);
type Entry = z.infer<typeof Entry>;
const Numbers = z.set(z.number());

/** How far the chunks of batches are: lists of numbers by index, twenty to an item. */
export function chunkCounts({ client, table }: TableOptions): Pick<Chunks, 'count' | 'progress'> {
  const partKey = (batchId: string, part: number) => `BATCH#${batchId}#u${part}`;
  const update = async (pk: string, change: Partial<ConstructorParameters<typeof UpdateCommand>[0]>) =>
    client.send(new UpdateCommand({ TableName: table, Key: { pk }, ...change }));
  const entriesOf = async (batchId: string, parts: readonly number[]) => {
    const found = await batchGetAll(
      { client, table },
      parts.map((part) => partKey(batchId, part)),
    );
    return found.flatMap(progressIn);
  };

  return {
    count: async (chunk, chunks) => {
      const { batchId, index, expiresAt } = chunk;
      const part = Math.floor(index / PART);
      await wasDone(
        update(partKey(batchId, part), {
          UpdateExpression: 'SET #chunk = :entry, expires_at = :expires',
          ConditionExpression: 'attribute_not_exists(#chunk) OR #chunk[0] < :version',
          ExpressionAttributeNames: { '#chunk': `k${index}` },
          ExpressionAttributeValues: {
            ':entry': entryOf(chunk),
            ':version': chunk.version,
            ':expires': z.encode(epochSeconds, expiresAt),
          },
        }),
      );
      if (linesLeft(chunk) > 0) return false;
      // Read afterwards: of two chunks that end together, at least the later one sees both.
      const entries = await entriesOf(batchId, [part]);
      const expected = Math.min(PART, chunks - part * PART);
      if (entries.filter(({ isDone }) => isDone).length < expected) return false;
      const { Attributes = {} } = await update(`BATCH#${batchId}`, {
        UpdateExpression: 'ADD full_parts :part',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':part': new Set([part]) },
        ReturnValues: 'ALL_NEW',
      });
      return Numbers.parse(Attributes['full_parts']).size === Math.ceil(chunks / PART);
    },

    progress: (batchId, chunks) =>
      entriesOf(
        batchId,
        Array.from({ length: Math.ceil(chunks / PART) }, (_, part) => part),
      ),
  };
}

function entryOf(chunk: Chunk): Entry {
  const { version, completed, failed, invalid, credits } = chunk;
  return [
    version,
    completed,
    failed,
    invalid,
    credits,
    partsOf(chunk).length,
    linesLeft(chunk) === 0 ? 1 : 0,
  ];
}

function progressIn(item: Record<string, unknown>): ChunkProgress[] {
  return Object.entries(item).flatMap(([name, value]) => {
    const [, index] = /^k(\d+)$/.exec(name) ?? [];
    if (index === undefined) return [];
    const [, completed, failed, invalid, credits, parts, done] = Entry.parse(value);
    return [{ index: Number(index), completed, failed, invalid, credits, parts, isDone: done === 1 }];
  });
}
