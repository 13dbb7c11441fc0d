import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import { epochSeconds } from '../../../contract/time.ts';
import type { Batches } from '../../../ports/batches.ts';
import type { TableOptions } from '../conditional-table.ts';
import { countedParts, JOB_PARTS, Numbers } from './counted-parts.ts';

/** Counts how jobs of batches ended, in number sets: counting twice after a crash changes nothing. */
export function batchCounts({ client, table }: TableOptions): Pick<Batches, 'count' | 'progress'> {
  const parts = countedParts({ client, table }, JOB_PARTS);

  return {
    count: async (place, outcome, expiresAt) => {
      const { pk, places } = parts.at(place);
      const { Attributes = {} } = await client.send(
        new UpdateCommand({
          TableName: table,
          Key: { pk },
          UpdateExpression: 'ADD #name :value SET expires_at = :expires',
          ExpressionAttributeNames: { '#name': outcome === 'failed' ? outcome : `c${outcome}` },
          ExpressionAttributeValues: {
            ':value': new Set([place.index]),
            ':expires': z.encode(epochSeconds, expiresAt),
          },
          ReturnValues: 'ALL_NEW',
        }),
      );
      const counted = setsOf(Attributes).reduce((sum, [, indexes]) => sum + indexes.size, 0);
      return counted >= places && parts.close(place);
    },

    progress: async ({ id, total }) => {
      const sets = (await parts.all(id, total)).flatMap(setsOf);
      return {
        completed: new Map(sets.flatMap(creditsIn)),
        failed: new Set(sets.flatMap(([name, indexes]) => (name === 'failed' ? [...indexes] : []))),
      };
    },
  };
}

type Ended = [name: string, indexes: Set<number>];

/** Sets of indexes: `failed`, and `c<credits>` of completed jobs. */
function setsOf(item: Record<string, unknown>): Ended[] {
  return Object.entries(item)
    .filter(([name]) => /^(failed|c\d+)$/.test(name))
    .map(([name, indexes]) => [name, Numbers.parse(indexes)]);
}

function creditsIn([name, indexes]: Ended): [index: number, credits: number][] {
  return name === 'failed' ? [] : [...indexes].map((index) => [index, Number(name.slice(1))]);
}
