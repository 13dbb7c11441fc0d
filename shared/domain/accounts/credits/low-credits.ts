import type { Usage } from '../../../contract/accounts/account.ts';

/** The type of the event. */
export const LOW = 'credits.low';

/** Percentages of a month's credits whose use is an event. */
const LEVELS = [80, 100] as const;
export type Level = (typeof LEVELS)[number];

/** A month and a level of it, `2026-11#080`. A mark adds when it was found reached. Both sort by time. */
export type LowKey = string;

/** A month's credits in all: used, held by scrapes in progress, and left. */
export function granted({ credits: { period, available, used }, slots }: Usage): number {
  const held = Object.values(slots.inUse).filter((slot) => slot.period === period);
  return held.reduce((sum, { credits }) => sum + credits, available + used);
}

/** The first level that this month has reached and that no event has reported. */
export function unreportedLevel(usage: Usage): { level: Level; key: LowKey } | undefined {
  const { period, used } = usage.credits;
  const all = granted(usage);
  if (all === 0) return undefined;
  return LEVELS.map((level) => ({ level, key: `${period}#${String(level).padStart(3, '0')}` })).find(
    ({ level, key }) => used * 100 >= all * level && usage.events.lowReported < key,
  );
}

/** Whether an endpoint receives such events, and the level that this month has reached is unreported. */
export const mustReport = (usage: Usage) =>
  usage.events.types.has(LOW) && unreportedLevel(usage) !== undefined;

export const markOf = (key: LowKey, at: Date) => `${key}#${at.toISOString()}`;

export const timeOfMark = (mark: string) => new Date(mark.split('#')[2] ?? '');
