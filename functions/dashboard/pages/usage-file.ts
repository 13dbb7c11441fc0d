import { EndReason } from '../../../shared/contract/accounts/account.ts';
import { sumActivity } from '../../../shared/use-cases/accounts/list-activity.ts';
import { usageByDay } from '../../../shared/use-cases/accounts/show-account.ts';
import { AppError } from '../../../shared/errors.ts';
import { csvReply } from '../csv.ts';
import { keyNames } from '../key-names.ts';
import { type MemberCall, organizationOf } from '../page-call.ts';
import type { Needs, Pages } from '../needs.ts';
import { type Month, monthIn } from '../usage-month.ts';

type Rows = (string | number)[][];

/** The values of `by`, with the rows of each file below its head. */
const files = {
  day: async (fx: Needs, call: MemberCall, month: Month): Promise<Rows> => {
    const { data } = await usageByDay(fx, organizationOf(call), spanOf(month));
    return [
      ['day', 'kind', ...TOTALS, ...EndReason.options],
      ...data.map(({ day, kind, reasons, ...total }) => [
        day,
        kind,
        ...TOTALS.map((name) => total[name]),
        ...EndReason.options.map((reason) => reasons[reason]),
      ]),
    ];
  },
  key: async (fx: Needs, { person }: MemberCall, month: Month): Promise<Rows> => {
    const { nameOf } = await keyNames(fx, person.orgId);
    const { byKey } = await sumActivity(fx, person.orgId, spanOf(month));
    const rows = byKey.map((sum) => [sum.name, nameOf(sum.name), ...TOTALS.map((name) => sum[name])]);
    return [['key_id', 'name', ...TOTALS], ...rows];
  },
  host: async (fx: Needs, { person }: MemberCall, month: Month): Promise<Rows> => {
    const { byHost } = await sumActivity(fx, person.orgId, spanOf(month));
    return [['host', ...TOTALS], ...byHost.map((sum) => [sum.name, ...TOTALS.map((name) => sum[name])])];
  },
};

const TOTALS = ['scrapes', 'succeeded', 'failed', 'credits'] as const;

const spanOf = ({ days }: Month) => ({ from: days[0], to: days.at(-1) });

export function usageFile(fx: Needs): Pick<Pages, 'usageFile'> {
  return {
    usageFile: async (call) => {
      const month = monthIn(call, fx.now());
      const [by = 'day'] = call.query.by ?? [];
      if (!isFile(by))
        throw new AppError('invalid_request', { message: 'There are files by day, key and host.' });
      return csvReply(`sitefetch-usage-${month.name}-by-${by}`, await files[by](fx, call, month));
    },
  };
}

const isFile = (by: string): by is keyof typeof files => Object.hasOwn(files, by);
