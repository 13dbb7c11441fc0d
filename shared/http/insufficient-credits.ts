import type { Usage } from '../contract/accounts/account.ts';
import { resetsAt } from '../domain/accounts/credits/usage-days.ts';
import { AppError } from '../errors.ts';

export function insufficientCredits(
  required: number,
  { available, period }: Pick<Usage['credits'], 'available' | 'period'>,
): AppError {
  const resets = resetsAt(period).toISOString();
  const credits = required === 1 ? '1 credit' : `${required} credits`;
  return new AppError('insufficient_credits', {
    message: `This scrape may cost ${credits}, and ${available} are left until ${resets}.`,
    fields: { credits_required: required, credits_remaining: available, resets_at: resets },
  });
}
