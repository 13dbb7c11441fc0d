import { z } from 'zod';
import { ActivityLine } from '../../../contract/accounts/activity.ts';
import { epochSeconds } from '../../../contract/time.ts';
import { endOfLine } from '../../../domain/accounts/activity/lines.ts';
import { positionFor } from '../../../domain/accounts/activity/position.ts';
import { longId, timeOfId } from '../../../domain/accounts/credits/short-id.ts';
import type { Activity } from '../../../ports/accounts.ts';
import { addMs } from '../../../time/units.ts';
import { type Item, openTable, type TableOptions } from '../table.ts';

const RETENTION_MS = 30 * 24 * 60 * 60 * 1_000;

/** Version 0.3.0 has no `cached`, and must read the line after a rollback. */
function stored(line: ActivityLine): Item {
  return { ...z.encode(ActivityLine, line), ...(line.reason === 'cached' && { reason: 'page' }) };
}

function lineIn(item: Item): ActivityLine {
  const line = ActivityLine.parse(item);
  return line.cache === 'hit' ? { ...line, reason: 'cached' } : line;
}

/** The Activity port on a DynamoDB table with string keys `pk`, the organization, and `sk`, the position. */
export function dynamodbActivity(options: TableOptions): Activity {
  const table = openTable(options);
  return {
    record: async (line) => {
      const expiresAt = addMs(line.time, RETENTION_MS);
      const key = { pk: line.orgId, sk: positionFor(line) };
      const expiry = { expires_at: z.encode(epochSeconds, expiresAt) };
      await table.put({ ...key, ...stored(line), ...expiry });
    },

    lines: async (orgId, { from, to, before, limit }) => {
      const last = before !== undefined && before < to ? before : to;
      // DynamoDB refuses a range that ends before it begins.
      if (last < from) return [];
      const { items } = await table.query({
        where: 'pk = :org AND sk BETWEEN :from AND :last',
        values: { ':org': orgId, ':from': from, ':last': last },
        isNewestFirst: true,
        // The last one itself is excluded, which no key condition can say.
        limit: limit + 1,
      });
      const older = items.filter(({ sk }) => sk !== last);
      return older.slice(0, limit).map((item) => ({ position: String(item['sk']), line: lineIn(item) }));
    },

    endOf: async (orgId, slotId) => {
      const id = longId(slotId);
      const time = id && timeOfId(id);
      if (!time) return undefined;
      const item = await table.get({ pk: orgId, sk: positionFor({ time, id }) });
      return item && endOfLine(lineIn(item));
    },
  };
}
