import type { Organization } from '../../contract/accounts/account.ts';
import { resetsAt } from '../../domain/accounts/credits/usage-days.ts';
import { granted, LOW, timeOfMark, unreportedLevel } from '../../domain/accounts/credits/low-credits.ts';
import type { Effects } from '../../ports/effects.ts';
import { emitEvent } from './emit-event.ts';

type Needs = Pick<Effects, 'usage' | 'notes' | 'webhooks' | 'deliveries' | 'notifierQueue' | 'now'>;

/** Emits an event for each level of the month's credits that is reached, once. */
export async function emitLowCredits(fx: Needs, organization: Organization): Promise<void> {
  for (;;) {
    const usage = await fx.usage.read(organization, fx.now());
    const low = unreportedLevel(usage);
    if (low === undefined) return;
    // The time is fixed first, so that a repetition emits the same event.
    const mark = await fx.notes.markLow(organization, low.key, fx.now());
    if (!mark.startsWith(low.key)) return;
    const { period, used, available } = usage.credits;
    const data = {
      org_id: organization.id,
      percent: low.level,
      period,
      granted: granted(usage),
      used,
      available,
      resets_at: resetsAt(period).toISOString(),
    };
    const event = { type: LOW, orgId: organization.id, subject: low.key, at: timeOfMark(mark), data };
    await emitEvent(fx, event);
    await fx.notes.reportLow(organization, mark);
  }
}
