import type { Effects } from '../../shared/ports/effects.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Counts the days since this Chromium was released, for an alarm. */
export function countChromiumAge({ count, now }: Pick<Effects, 'count' | 'now'>, released: Date): void {
  count('ChromiumAge', Math.floor((now().getTime() - released.getTime()) / DAY_MS));
}
