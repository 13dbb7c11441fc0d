import type { Usage } from '../../../contract/accounts/account.ts';
import { type Tally, withCount } from './usage-days.ts';

/** Whether this month was charged what is given back: credits of an earlier month do not come back. */
export function isOfMonth({ credits }: { credits: { used: number } }, { charged }: Tally): boolean {
  return credits.used + charged >= 0;
}

/** Usage without what was charged and counted for scrapes, which are negative in `ended`. */
export function withGivenBack(usage: Usage, ended: Tally): Usage {
  const { available, used, day } = usage.credits;
  const credits = { available: available - ended.charged, used: used + ended.charged };
  return withCount({ ...usage, credits: { ...usage.credits, ...credits } }, day, ended);
}
