import type { Visit } from '../../../shared/contract/person.ts';
import { visitOf } from '../../../shared/use-cases/begin-visit.ts';
import { answered, codeIn, fault } from '../answered.ts';
import { readCookie } from '../cookies.ts';
import { draw, inEvenTime } from '../limited.ts';
import type { PageCall } from '../page-call.ts';
import { type PageReply, pageReply, seeOther } from '../page-reply.ts';
import type { Needs, Pages } from '../pages.ts';
import { type Faults, form } from '../views/form.ts';
import { html, type Html } from '../views/html.ts';
import { layout } from '../views/layout.ts';
import { withNotice } from '../views/notices.ts';

export const WRONG_CODE = 'This code is wrong or has expired.';

export function confirmPages(fx: Needs): Pick<Pages, 'showConfirm' | 'confirm' | 'resend'> {
  /** Codes belong to the browser that requested them. */
  const withVisit = async (call: PageCall, work: (visit: Visit) => Promise<PageReply>) => {
    const visit = await visitOf(fx, readCookie(call, 'visit'));
    return visit ? work(visit) : seeOther(call, '/sign-in');
  };
  const again =
    (call: PageCall, { email }: Visit) =>
    (faults: Faults, more: object) =>
      pageReply(confirmPage(call, email, faults), more);

  return {
    showConfirm: (call) => withVisit(call, ({ email }) => pageReply(confirmPage(call, email))),
    confirm: (call) =>
      withVisit(call, (visit) =>
        answered(
          async () => {
            const { email, userId } = visit;
            await draw(fx, call, 'confirm', email);
            const isRight = await inEvenTime(
              fx,
              async () => userId !== undefined && (await fx.identities.confirm(userId, codeIn(call))),
            );
            if (!isRight) throw fault(WRONG_CODE, 'code');
            return seeOther(call, withNotice('/sign-in', 'confirmed'));
          },
          again(call, visit),
        ),
      ),
    resend: (call) =>
      withVisit(call, (visit) =>
        answered(
          async () => {
            const { email, userId } = visit;
            await draw(fx, call, 'confirm', email);
            await inEvenTime(fx, async () => {
              if (userId === undefined) return;
              await fx.identities.resend(userId);
              fx.count('CodesMailed', 1);
            });
            return seeOther(call, withNotice('/confirm', 'resent'));
          },
          again(call, visit),
        ),
      ),
  };
}

function confirmPage(call: PageCall, email: string, faults?: Faults): Html {
  const code = { name: 'code', label: 'Code', autocomplete: 'one-time-code', isNumeric: true };
  const main = html`<h1>Confirm your address</h1>
    <p>
      We have mailed a code of six digits to <strong>${email}</strong>. No mail? Look in your spam folder, or
      sign in if you have an account.
    </p>
    ${form(call, { action: '/confirm', fields: [code], submit: 'Confirm' }, faults)}
    ${form(call, { action: '/resend', submit: 'Send another code', kind: 'plain' })}`;
  return layout(call, { title: 'Confirm your address', main });
}
