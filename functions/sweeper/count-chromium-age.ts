import type { Effects } from '../../shared/ports/effects.ts';
import { DAY_MS } from '../../shared/time/units.ts';

/** Counts the days since this Chromium was released, for an alarm. */
export function countChromiumAge({ count, now }: Pick<Effects, 'count' | 'now'>, released: Date): void {
  count('ChromiumAge', Math.floor((now().getTime() - released.getTime()) / DAY_MS));
}
