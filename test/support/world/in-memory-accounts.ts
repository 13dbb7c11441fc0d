import type { ApiKeyRecord, Organization, Usage } from '../../../shared/contract/accounts/account.ts';
import type { ActivityLine } from '../../../shared/contract/accounts/activity.ts';
import { endOfLine } from '../../../shared/domain/accounts/activity/lines.ts';
import { positionFor } from '../../../shared/domain/accounts/activity/position.ts';
import { admit, currentUsage, withoutSlot } from '../../../shared/domain/accounts/credits/admission.ts';
import { isOpen, withGivenBack } from '../../../shared/domain/accounts/credits/given-back.ts';
import { markOf } from '../../../shared/domain/accounts/credits/low-credits.ts';
import { limitsOf } from '../../../shared/domain/accounts/credits/plan.ts';
import { longId } from '../../../shared/domain/accounts/credits/short-id.ts';
import { hasSlot, isOfJob, jobSlots, lapsedSlots } from '../../../shared/domain/accounts/credits/slots.ts';
import { tallyOf, withCount } from '../../../shared/domain/accounts/credits/usage-days.ts';
import type { AccountEffects, Activity } from '../../../shared/ports/accounts.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import { step } from './step.ts';

const HOUR_MS = 60 * 60 * 1_000;

/** These ports of a world. */
export const accountsOf = ({
  keys,
  organizations,
  usage,
  waitList,
  notes,
}: AccountEffects): AccountEffects => ({
  keys,
  organizations,
  usage,
  waitList,
  notes,
});

/** The ports of accounts in memory. */
export function inMemoryAccounts(): AccountEffects & Pick<Effects, 'activity'> {
  const activity = inMemoryActivity();
  const accounts = new Map<string, Organization>();
  const keyRecords = new Map<string, ApiKeyRecord>();
  const usages = new Map<string, Usage>();
  const used = new Map<string, Record<string, Date>>();
  const listed = new Map<string, number>();
  const current = (organization: Organization, now: Date) =>
    currentUsage(usages.get(organization.id), limitsOf(organization), now);
  const keep = (organization: Organization, usage: Usage) => {
    usages.set(organization.id, usage);
    return usage;
  };
  /** Changes a usage that exists. */
  const change = ({ id }: Pick<Organization, 'id'>, to: (usage: Usage) => Partial<Usage>) =>
    step(() => {
      const stored = usages.get(id);
      if (stored) usages.set(id, { ...stored, ...to(stored) });
    });
  return {
    activity,
    keys: {
      find: (id) => step(() => keyRecords.get(id)),
      list: (orgId) => step(() => [...keyRecords.values()].filter((key) => key.orgId === orgId)),
      save: (key) => step(() => void keyRecords.set(key.id, key)),
      replace: (key) =>
        step(() => {
          const isActive = keyRecords.get(key.id)?.status === 'active';
          if (isActive) keyRecords.set(key.id, key);
          return isActive;
        }),
      touch: (orgId, keyId, now) =>
        step(() => {
          const times = used.get(orgId) ?? {};
          const isRecent = now.getTime() - (times[keyId]?.getTime() ?? 0) < HOUR_MS;
          if (!isRecent) used.set(orgId, { ...times, [keyId]: now });
        }),
      lastUsed: (orgId) => step(() => used.get(orgId) ?? {}),
    },
    organizations: {
      find: (id) => step(() => accounts.get(id)),
      list: () => step(() => [...accounts.values()].sort((a, b) => +a.createdAt - +b.createdAt)),
      add: (organization) =>
        step(() => {
          if (accounts.has(organization.id)) return false;
          accounts.set(organization.id, organization);
          return true;
        }),
      rename: (id, name) =>
        step(() => {
          const known = accounts.get(id);
          if (known) accounts.set(id, { ...known, name });
        }),
      save: (organization) => step(() => void accounts.set(organization.id, organization)),
      remove: (id) =>
        step(() => {
          accounts.delete(id);
          usages.delete(id);
        }),
    },
    usage: {
      read: (organization, now) => step(() => current(organization, now)),
      days: ({ id }, from, to) =>
        step(() => {
          const days = Object.entries(usages.get(id)?.credits.days ?? {});
          return Object.fromEntries(days.filter(([day]) => day >= from && day <= to));
        }),
      admit: async (organization, request, now) => {
        const { id } = organization;
        const before = usages.get(id);
        for (const slotId of before ? lapsedSlots(before, now) : []) {
          const ended = await activity.endOf(id, slotId);
          const stored = usages.get(id);
          if (stored) usages.set(id, withoutSlot(stored, slotId, ended && tallyOf(ended)));
        }
        return step(() => {
          const seen = current(organization, now);
          const isForJob = request.slot && isOfJob(request.slot.id);
          if (isForJob && !seen.waiting.isListed) listed.set(id, now.getTime());
          const usage = isForJob ? { ...seen, waiting: { ...seen.waiting, isListed: true } } : seen;
          const admission = admit(usage, limitsOf(organization), request, now);
          keep(organization, admission.usage);
          return admission;
        });
      },
      settle: (organization, { slotId, ended }, now) =>
        step(() => {
          const stored = usages.get(organization.id);
          if (!stored || !hasSlot(stored, slotId)) return current(organization, now);
          return keep(organization, withoutSlot(stored, slotId, ended));
        }),
      count: (organization, ended, now) =>
        step(() => {
          const usage = current(organization, now);
          return keep(organization, withCount(usage, usage.credits.day, ended));
        }),
      giveBack: (organization, refund, now) =>
        step(() => {
          const usage = current(organization, now);
          return isOpen(usage, refund) ? keep(organization, withGivenBack(usage, refund, now)) : usage;
        }),
      grant: (organization, { id, credits }, now) =>
        step(() => keep(organization, withGrant(current(organization, now), id, credits))),
      release: (organization, readerId) => change(organization, (usage) => withoutReader(usage, readerId)),
    },
    waitList: {
      noteWaiting: (organization, now) =>
        step(() => {
          const stored = usages.get(organization.id);
          if (!stored) return false;
          const slots = jobSlots(limitsOf(organization), stored.slots.syncAt, now);
          if (Object.keys(stored.slots.inUse).length < slots) return false;
          if (!stored.waiting.isAwaited) listed.set(organization.id, now.getTime());
          keep(organization, withWaiting(stored, now));
          return true;
        }),
      noteBacklog: (organization, now) =>
        step(() => {
          listed.set(organization.id, now.getTime());
          keep(organization, withWaiting(current(organization, now), now));
        }),
      clear: (organization, waitingAt) =>
        change(organization, ({ waiting }) =>
          waiting.at === waitingAt ? { waiting: { ...waiting, isAwaited: false } } : {},
        ),
      unlist: (organization) =>
        change(organization, ({ waiting }) => ({ waiting: { ...waiting, isListed: false } })),
      list: () => step(() => [...listed].map(([orgId, since]) => ({ orgId, since }))),
      takeOff: (orgId, since) =>
        step(() => {
          if (listed.get(orgId) === since) listed.delete(orgId);
        }),
    },
    notes: {
      noteEvents: (organization, types, now) =>
        step(() => {
          const usage = current(organization, now);
          const all = new Set([...usage.events.types, ...types]);
          if (types.length > 0) keep(organization, { ...usage, events: { ...usage.events, types: all } });
        }),
      markLow: (organization, key, now) =>
        step(() => {
          const usage = current(organization, now);
          const low = usage.events.low >= key ? usage.events.low : markOf(key, now);
          keep(organization, { ...usage, events: { ...usage.events, low } });
          return low;
        }),
      reportLow: (organization, mark) =>
        change(organization, ({ events }) =>
          events.lowReported < mark ? { events: { ...events, lowReported: mark } } : {},
        ),
    },
  };
}

/** The Activity port in memory. */
export function inMemoryActivity(): Activity {
  const lines = new Map<string, ActivityLine>();
  const newestFirst = (orgId: string) =>
    [...lines]
      .filter(([, line]) => line.orgId === orgId)
      .map(([key, line]) => ({ position: key.slice(orgId.length), line }))
      .sort((a, b) => (a.position < b.position ? 1 : -1));
  return {
    record: (line) => step(() => void lines.set(line.orgId + positionFor(line), line)),
    lines: (orgId, { from, to, before = to, limit }) =>
      step(() => {
        const within = newestFirst(orgId).filter(
          ({ position }) => position >= from && position < to && position < before,
        );
        return within.slice(0, limit);
      }),
    endOf: (orgId, slotId) =>
      step(() => {
        const id = longId(slotId);
        const found = newestFirst(orgId).find(({ line }) => line.id === id && line.type === 'scrape');
        return found && endOfLine(found.line);
      }),
  };
}

function withoutReader(usage: Usage, id: string): Usage {
  const { [id]: _, ...readers } = usage.slots.readers;
  return { ...usage, slots: { ...usage.slots, readers } };
}

/** Usage with credits added to its month. A grant with a known id changes nothing. */
function withGrant(usage: Usage, id: string, credits: number): Usage {
  const { available, grants } = usage.credits;
  if (id in grants) return usage;
  const given = { available: available + credits, grants: { ...grants, [id]: credits } };
  return { ...usage, credits: { ...usage.credits, ...given } };
}

function withWaiting(usage: Usage, now: Date): Usage {
  return { ...usage, waiting: { ...usage.waiting, at: now.getTime(), isAwaited: true } };
}
