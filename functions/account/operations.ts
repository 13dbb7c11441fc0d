import { ActivityQuery } from '../../shared/contract/accounts/activity.ts';
import { UsageQuery } from '../../shared/contract/accounts/account-view.ts';
import { json } from '../../shared/http/reply.ts';
import type { Operations } from '../../shared/http/respond.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { readQuery } from '../../shared/request/read-query.ts';
import { listActivity } from '../../shared/use-cases/accounts/list-activity.ts';
import { showAccount, usageByDay } from '../../shared/use-cases/accounts/show-account.ts';
import { compatUsage } from './compat.ts';

/** An organization's view of its limits, usage and activity. */
export function accountOperations(fx: Pick<Effects, 'usage' | 'activity' | 'now'>): Operations<'account'> {
  return {
    ...compatUsage(fx),
    getAccount: async ({ session }) => json(200, await showAccount(fx, session.organization)),
    getUsage: async (call) =>
      json(200, await usageByDay(fx, call.session.organization, readQuery(call, UsageQuery))),
    getActivity: async (call) =>
      json(200, await listActivity(fx, call.session.organization.id, readQuery(call, ActivityQuery))),
  };
}
