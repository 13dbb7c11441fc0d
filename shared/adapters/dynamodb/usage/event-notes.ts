import { periodOf } from '../../../domain/accounts/credits/admission.ts';
import { markOf } from '../../../domain/accounts/credits/low-credits.ts';
import { limitsOf } from '../../../domain/accounts/credits/plan.ts';
import { dayOf } from '../../../domain/accounts/credits/usage-days.ts';
import { busy } from '../../../errors.ts';
import type { Notes } from '../../../ports/usage.ts';
import { turn } from './day-writes.ts';
import { MAX_ROUNDS } from './settle-usage.ts';
import type { UsageItem } from './usage-item.ts';
import type { UsageWrite } from './usage-write.ts';

/** What webhooks note in an organization's usage, so that a settlement knows whether to emit events. */
export function eventNotes(item: UsageItem): Notes {
  return {
    noteEvents: async (organization, types, now) => {
      if (types.length === 0) return;
      for (let round = 0; round < MAX_ROUNDS; round++) {
        if (await item.write(organization.id, eventsNoted(types))) return;
        await item.write(organization.id, turn(undefined, limitsOf(organization), dayOf(now)));
      }
      throw busy();
    },

    markLow: async ({ id }, key, now) => {
      const mark = markOf(key, now);
      if (await item.write(id, lowMarked(key, mark, periodOf(now)))) return mark;
      return (await item.read(id))?.low ?? mark;
    },

    reportLow: async ({ id }, mark) => {
      await item.write(id, lowReported(mark));
    },
  };
}

function eventsNoted(types: readonly string[]): UsageWrite {
  return {
    condition: ['attribute_exists(pk)'],
    set: [],
    add: 'events :types',
    values: { ':types': new Set(types) },
    names: {},
  };
}

/** The mark of a level sorts after the level itself. */
function lowMarked(key: string, mark: string, period: string): UsageWrite {
  return {
    condition: ['#period = :period', '(attribute_not_exists(low) OR low < :key)'],
    set: ['low = :mark'],
    values: { ':period': period, ':key': key, ':mark': mark },
    names: { '#period': 'period' },
  };
}

function lowReported(mark: string): UsageWrite {
  return {
    condition: ['attribute_exists(pk)', '(attribute_not_exists(low_reported) OR low_reported < :mark)'],
    set: ['low_reported = :mark'],
    values: { ':mark': mark },
    names: {},
  };
}
