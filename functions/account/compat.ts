import type { AccountView } from '../../shared/contract/accounts/account-view.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { json, type Reply } from '../../shared/http/reply.ts';
import type { Operations } from '../../shared/http/respond.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { showAccount } from '../../shared/use-cases/accounts/show-account.ts';

type Named = 'compatCreditUsage' | 'compatTokenUsage' | 'compatQueueStatus' | 'compatConcurrency';

/** Usage and limits in the words of `/v2`. */
export function compatUsage(fx: Pick<Effects, 'usage' | 'now'>): Pick<Operations<'account'>, Named> {
  const shown =
    (view: (account: AccountView) => object) =>
    async ({ session }: AuthenticatedCall): Promise<Reply> =>
      json(200, { success: true, ...view(await showAccount(fx, session.organization)) });
  return {
    compatCreditUsage: shown(({ credits, limits, ...account }) => ({
      data: {
        remainingCredits: credits.available,
        planCredits: limits.credits,
        ...billing({ credits, ...account }),
      },
    })),
    // Nothing here is paid by tokens.
    compatTokenUsage: shown((account) => ({
      data: { remainingTokens: 0, planTokens: 0, ...billing(account) },
    })),
    compatQueueStatus: shown(({ in_progress: active, limits }) => ({
      jobsInQueue: active,
      activeJobsInQueue: active,
      waitingJobsInQueue: 0,
      maxConcurrency: limits.concurrency,
    })),
    compatConcurrency: shown(({ in_progress: concurrency, limits }) => ({
      data: { concurrency, maxConcurrency: limits.concurrency },
    })),
  };
}

/** A month of credits. */
const billing = ({ period, credits }: Pick<AccountView, 'period' | 'credits'>) => ({
  billingPeriodStart: `${period}-01T00:00:00.000Z`,
  billingPeriodEnd: credits.resets_at,
});
