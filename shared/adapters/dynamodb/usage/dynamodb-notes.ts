import { markOf } from '../../../domain/accounts/credits/low-credits.ts';
import { limitsOf } from '../../../domain/accounts/credits/plan.ts';
import { dayOf, periodOf } from '../../../domain/accounts/credits/usage-days.ts';
import type { Notes } from '../../../ports/usage.ts';
import type { Write } from '../table.ts';
import { turn } from './usage-days.ts';
import { type UsageItem, writeOrReread } from './usage-item.ts';

/** The Notes port: attributes of the usage's item. */
export function dynamodbNotes(item: UsageItem): Notes {
  return {
    noteEvents: async (organization, types, now) => {
      if (types.length === 0) return;
      const write = eventsNoted(types);
      await writeOrReread(item, organization.id, write, async (stored) => {
        if (!stored) await item.write(organization.id, turn(stored, limitsOf(organization), dayOf(now)));
        return { write };
      });
    },

    markLow: async ({ id }, key, now) => {
      const mark = markOf(key, now);
      if (await item.write(id, lowMarked(key, mark, periodOf(now)))) return mark;
      return (await item.read(id))?.events.low || mark;
    },

    reportLow: async ({ id }, mark) => void (await item.write(id, lowReported(mark))),
  };
}

const eventsNoted = (types: readonly string[]): Write => ({
  condition: ['attribute_exists(pk)'],
  add: ['events :types'],
  values: { ':types': new Set(types) },
});

/** The mark of a level sorts after the level itself. */
const lowMarked = (key: string, mark: string, period: string): Write => ({
  condition: ['#period = :period', '(attribute_not_exists(low) OR low < :key)'],
  set: ['low = :mark'],
  values: { ':period': period, ':key': key, ':mark': mark },
});

const lowReported = (mark: string): Write => ({
  condition: ['attribute_exists(pk)', '(attribute_not_exists(low_reported) OR low_reported < :mark)'],
  set: ['low_reported = :mark'],
  values: { ':mark': mark },
});
