import type { Visit } from '../../../shared/contract/people/person.ts';
import { visitOf } from '../../../shared/use-cases/people/begin-visit.ts';
import { AppError } from '../../../shared/errors.ts';
import { answered, codeIn, fault } from '../answered.ts';
import { readCookie } from '../cookies.ts';
import { takeRateLimit, takeMailLimit, inConstantTime } from '../limited.ts';
import type { PageCall } from '../page-call.ts';
import { type DashboardReply, htmlReply, seeOther } from '../replies.ts';
import type { Needs, Pages } from '../needs.ts';
import { confirmPage } from '../views/confirm-page.ts';
import { withNotice } from '../views/notices.ts';
import { openMembership } from './sign-in.ts';

export const WRONG_CODE = 'This code is wrong or has expired.';

export function confirmPages(fx: Needs): Pick<Pages, 'showConfirm' | 'confirm' | 'resend'> {
  /** Codes belong to the browser that requested them. */
  const withVisit = async (call: PageCall, work: (visit: Visit) => Promise<DashboardReply>) => {
    const visit = await visitOf(fx, readCookie(call, 'visit'));
    return visit ? work(visit) : seeOther(call, '/sign-in');
  };
  const handled = (call: PageCall, work: (visit: Visit) => Promise<DashboardReply>) =>
    withVisit(call, (visit) =>
      answered(
        async () => {
          await takeRateLimit(fx, call, 'confirm', visit.email);
          return work(visit);
        },
        (faults, more) => htmlReply(confirmPage(call, visit.email, faults), more),
      ),
    );

  return {
    showConfirm: (call) => withVisit(call, ({ email }) => htmlReply(confirmPage(call, email))),
    confirm: (call) => handled(call, (visit) => confirmed(fx, call, visit)),
    resend: (call) =>
      handled(call, async ({ email, userId }) => {
        await takeMailLimit(fx, email);
        await inConstantTime(fx, () => resend(fx, userId));
        return seeOther(call, withNotice('/confirm', 'resent'));
      }),
  };
}

/** The code proves the address, and the visit that this browser knows the password. */
async function confirmed(fx: Needs, call: PageCall, { userId, ...visit }: Visit): Promise<DashboardReply> {
  const isRight = await inConstantTime(
    fx,
    async () => userId !== undefined && (await fx.identities.confirm(userId, codeIn(call))),
  );
  if (!isRight || userId === undefined) throw fault(WRONG_CODE, 'code');
  const { email, invitation, organization } = visit;
  try {
    return await openMembership(fx, call, { userId, email, invitation, organization });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid_request') throw error;
    // The sign-in says why there is no organization for this user.
    return seeOther(call, withNotice('/sign-in', 'confirmed'));
  }
}

async function resend(fx: Needs, userId: string | undefined): Promise<void> {
  if (userId === undefined) return;
  await fx.identities.resend(userId);
  fx.count('CodesMailed', 1);
}
