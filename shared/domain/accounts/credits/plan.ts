import type { Limits, Organization, Plan } from '../../../contract/accounts/account.ts';

const plans: Readonly<Record<Plan, Limits>> = {
  free: { credits: 1_000, rpm: 60, readsPerMinute: 600, concurrency: 10 },
  starter: { credits: 100_000, rpm: 600, readsPerMinute: 6_000, concurrency: 50 },
  business: { credits: 1_000_000, rpm: 6_000, readsPerMinute: 60_000, concurrency: 200 },
};

export function limitsOf({ plan, overrides }: Pick<Organization, 'plan' | 'overrides'>): Limits {
  const defaults = plans[plan];
  const {
    credits = defaults.credits,
    rpm = defaults.rpm,
    readsPerMinute = defaults.readsPerMinute,
    concurrency = defaults.concurrency,
  } = overrides;
  return { credits, rpm, readsPerMinute, concurrency };
}
