import type { Usage } from '../../../contract/accounts/account.ts';
import { type Tally, withCount } from './usage-days.ts';

/** As `Refund` of the port `usage`. */
type Refund = { id: string; turn: number; period: string; ended: Tally };

/** Whether a refund is still to be made: in the month that was charged, and before any later turn. */
export function isOpen({ credits }: Usage, { id, turn, period, ended }: Refund): boolean {
  const isOfMonth = credits.period === period && credits.used + ended.charged >= 0;
  return isOfMonth && (credits.refunds?.[id] ?? -1) < turn;
}

/** Usage without what was charged and counted for scrapes. */
export function withGivenBack(usage: Usage, { id, turn, ended }: Refund): Usage {
  const { available, used, day, refunds } = usage.credits;
  const credits = {
    available: available - ended.charged,
    used: used + ended.charged,
    refunds: { ...refunds, [id]: turn },
  };
  return withCount({ ...usage, credits: { ...usage.credits, ...credits } }, day, ended);
}
