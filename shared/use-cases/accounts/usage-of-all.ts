import type { UsageView } from '../../contract/accounts/account-view.ts';
import { laterDay, laterMonth, rowsOf } from '../../domain/accounts/credits/usage-days.ts';
import type { Effects } from '../../ports/effects.ts';
import { sumActivity } from './list-activity.ts';
import { totalOf } from './show-account.ts';

type UsageTotal = UsageView['total'];

/** Organizations whose usage is read at the same time. */
const CONCURRENCY = 10;

/** Usage of all organizations in a month: a row each, or one for each day and kind. For operators. */
export async function usageOfAll(fx: Pick<Effects, 'organizations' | 'usage'>, month: string, by?: 'day') {
  const { from, to } = daysOf(month);
  const usage = await ofEach(fx, async (organization) => {
    const days = await fx.usage.days(organization, from, to);
    const rows = Object.entries(days).flatMap(([day, counts]) => rowsOf(day, counts));
    const whose = { org_id: organization.id, name: organization.name };
    if (by === undefined) return [{ ...whose, ...totalOf(rows) }];
    return rows.map(({ reasons: _reasons, ...row }) => ({ ...whose, ...row }));
  });
  return { month, usage };
}

/**
 * Usage by key, from all lines of activity of the last 30 days. The rest of the month (uploads, and days no
 * longer kept) is a row without a key, so that an organization's rows add up to its usage.
 */
export async function usageByKey(
  fx: Pick<Effects, 'organizations' | 'usage' | 'activity' | 'now'>,
  month: string,
) {
  const { from, to } = daysOf(month);
  const usage = await ofEach(fx, async (organization) => {
    const { byKey } = await sumActivity(fx, organization.id, { from, to }, Infinity);
    const days = await fx.usage.days(organization, from, to);
    const whole = totalOf(Object.entries(days).flatMap(([day, counts]) => rowsOf(day, counts)));
    const rest = beyond(totalOf(byKey), whole);
    const whose = { org_id: organization.id, name: organization.name };
    const rows = byKey.map(({ name: key_id, ...sum }) => ({ ...whose, key_id, ...sum }));
    return rest.scrapes > 0 ? [...rows, { ...whose, key_id: undefined, ...rest }] : rows;
  });
  return { month, usage };
}

/** A scrape that ended just now may have its line before it is counted. */
function beyond(part: UsageTotal, whole: UsageTotal): UsageTotal {
  const over = (name: keyof UsageTotal) => Math.max(0, whole[name] - part[name]);
  return {
    scrapes: over('scrapes'),
    succeeded: over('succeeded'),
    failed: over('failed'),
    credits: over('credits'),
  };
}

async function ofEach<T>(
  fx: Pick<Effects, 'organizations' | 'usage'>,
  rowsFor: (organization: Awaited<ReturnType<Effects['organizations']['list']>>[number]) => Promise<T[]>,
): Promise<T[]> {
  const organizations = await fx.organizations.list();
  const rows: T[][] = [];
  for (let at = 0; at < organizations.length; at += CONCURRENCY)
    rows.push(...(await Promise.all(organizations.slice(at, at + CONCURRENCY).map(rowsFor))));
  return rows.flat();
}

const daysOf = (month: string) => ({
  from: `${month}-01`,
  to: laterDay(`${laterMonth(month, 1)}-01`, -1),
});
