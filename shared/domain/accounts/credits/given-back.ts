import type { Usage } from '../../../contract/accounts/account.ts';
import { HOUR_MS } from '../../../time/units.ts';
import { shortId } from './short-id.ts';
import { type Tally, withCount } from './usage-days.ts';

/** As `Refund` of the port `usage`. */
type Refund = { id: string; turn: number; period: string; ended: Tally };

/** A process that gave back and died is found within minutes. Each turn makes all writes of usage larger. */
const REMEMBERED_MS = HOUR_MS;
/** Of turns that are forgotten in one write. */
const FORGOTTEN_AT_ONCE = 25;

/** The name under which the last turn of a refund's id is remembered. */
export const refundName = ({ id }: Pick<Refund, 'id'>): string => shortId(id);

/** Whether a refund is still to be made: in the month that was charged, and before any later turn. */
export function isOpen({ credits }: Usage, refund: Refund): boolean {
  const isOfMonth = credits.period === refund.period && credits.used + refund.ended.charged >= 0;
  const [last = -1] = credits.refunds?.[refundName(refund)] ?? [];
  return isOfMonth && last < refund.turn;
}

/** Names of turns that no process will repeat, but not of the refund itself. */
export function forgottenRefunds(usage: Usage | undefined, refund: Refund, now: Date): string[] {
  const old = Object.entries(usage?.credits.refunds ?? {}).filter(
    ([name, [, at]]) => at + REMEMBERED_MS < now.getTime() && name !== refundName(refund),
  );
  return old.map(([name]) => name).slice(0, FORGOTTEN_AT_ONCE);
}

/** Usage without what was charged and counted for scrapes. */
export function withGivenBack(usage: Usage, refund: Refund, now: Date): Usage {
  const { available, used, day, refunds = {} } = usage.credits;
  const { charged } = refund.ended;
  const forgotten = forgottenRefunds(usage, refund, now);
  const kept = Object.entries(refunds).filter(([name]) => !forgotten.includes(name));
  const turns = { ...Object.fromEntries(kept), [refundName(refund)]: [refund.turn, now.getTime()] };
  const credits = {
    available: available - charged,
    used: used + charged,
    refunds: turns as Record<string, [number, number]>,
  };
  return withCount({ ...usage, credits: { ...usage.credits, ...credits } }, day, refund.ended);
}
