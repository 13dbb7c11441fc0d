import { laterDay, laterMonth, rowsOf } from '../domain/credits/usage-days.ts';
import type { Effects } from '../ports.ts';
import { sumActivity } from './list-activity.ts';
import { totalOf } from './show-account.ts';

/** Organizations whose usage is read at the same time. */
const AT_ONCE = 10;

/** Usage of all organizations in a month: a row each, or one for each day and kind. For operators. */
export async function usageOfAll({ accounts }: Pick<Effects, 'accounts'>, month: string, by?: 'day') {
  const { from, to } = daysOf(month);
  const usage = await ofEach({ accounts }, async (organization) => {
    const days = await accounts.usageDays(organization, from, to);
    const rows = Object.entries(days).flatMap(([day, counts]) => rowsOf(day, counts));
    const whose = { org_id: organization.id, name: organization.name };
    if (by === undefined) return [{ ...whose, ...totalOf(rows) }];
    return rows.map(({ reasons: _reasons, ...row }) => ({ ...whose, ...row }));
  });
  return { month, usage };
}

/** Usage by key, from the activity of the last 30 days at most. For operators. */
export async function usageByKey(fx: Pick<Effects, 'accounts' | 'activity' | 'now'>, month: string) {
  const usage = await ofEach(fx, async ({ id, name }) => {
    const { byKey } = await sumActivity(fx, id, daysOf(month));
    return byKey.map(({ name: keyId, ...sum }) => ({ org_id: id, name, key_id: keyId, ...sum }));
  });
  return { month, usage };
}

async function ofEach<T>(
  { accounts }: Pick<Effects, 'accounts'>,
  rowsFor: (organization: Awaited<ReturnType<Effects['accounts']['organizations']>>[number]) => Promise<T[]>,
): Promise<T[]> {
  const organizations = await accounts.organizations();
  const rows: T[][] = [];
  for (let at = 0; at < organizations.length; at += AT_ONCE)
    rows.push(...(await Promise.all(organizations.slice(at, at + AT_ONCE).map(rowsFor))));
  return rows.flat();
}

const daysOf = (month: string) => ({
  from: `${month}-01`,
  to: laterDay(`${laterMonth(month, 1)}-01`, -1),
});
