import { z } from 'zod';
import { Kind } from '../../../contract/scrape/mode.ts';
import { epochSeconds } from '../../../contract/time.ts';
import type { LadderMemory } from '../../../ports/scrape.ts';
import { addMs, DAY_MS, MINUTE_MS } from '../../../time/units.ts';
import { itemKind, openTable, type TableOptions } from '../table.ts';

const Remembered = z.object({ rung: Kind, expires_at: epochSeconds });
type Remembered = z.infer<typeof Remembered>;

/** A process reads the rung of a host once in so long: what another one has kept meanwhile is not missed. */
const FRESH_MS = MINUTE_MS;
const MAX_ENTRIES = 10_000;

type Host = { orgId: string; host: string };

/** The LadderMemory port: items of the activity table. Positions of its lines begin with a year. */
export function dynamodbLadderMemory(options: TableOptions): LadderMemory {
  const items = itemKind(openTable(options), Remembered, ({ orgId, host }: Host) => ({
    pk: orgId,
    sk: `LADDER#${host}`,
  }));
  const known = new Map<string, { item: Remembered | undefined; staleAt: Date }>();
  const note = (id: string, item: Remembered | undefined, now: Date) => {
    if (known.size >= MAX_ENTRIES) known.clear();
    known.set(id, { item, staleAt: addMs(now, FRESH_MS) });
    return item;
  };
  const idOf = ({ orgId, host }: Host) => `${orgId} ${host}`;

  return {
    find: async (orgId, host, now) => {
      const id = idOf({ orgId, host });
      const recent = known.get(id);
      const isFresh = recent !== undefined && recent.staleAt > now;
      const item = isFresh
        ? recent.item
        : note(id, await items.find({ orgId, host }, { isConsistent: false }), now);
      return item && item.expires_at > now ? item.rung : undefined;
    },
    keep: async (orgId, host, rung, now) => {
      const item = { rung, expires_at: addMs(now, DAY_MS) };
      note(idOf({ orgId, host }), item, now);
      await items.put({ orgId, host }, item);
    },
  };
}
