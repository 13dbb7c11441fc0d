import { passwordFault } from '../../../shared/domain/people/password.ts';
import { beginVisit, visitOf } from '../../../shared/use-cases/people/begin-visit.ts';
import { answered, codeIn, emailIn, fault, textIn } from '../answered.ts';
import { cookie, readCookie } from '../cookies.ts';
import { takeRateLimit, takeMailLimit, inConstantTime } from '../limited.ts';
import type { PageCall } from '../page-call.ts';
import { htmlReply, seeOther } from '../replies.ts';
import type { Needs, Pages } from '../needs.ts';
import { form } from '../views/form.ts';
import type { Faults } from '../faults-of.ts';
import { html, type Html } from '../html.ts';
import { layout } from '../views/layout.ts';
import { withNotice } from '../views/notices.ts';
import { WRONG_CODE } from './confirm.ts';
import { newAccount } from './sign-up.ts';

/** Resets a forgotten password. */
export function passwordPages(fx: Needs): Pick<Pages, 'showForgot' | 'forgot' | 'showReset' | 'reset'> {
  return {
    showForgot: (call) => htmlReply(forgotPage(call)),
    forgot: (call) =>
      answered(
        async () => {
          const email = emailIn(call);
          await takeRateLimit(fx, call, 'forgot', email);
          await takeMailLimit(fx, email);
          await inConstantTime(fx, () => fx.identities.forgot(email));
          fx.count('CodesMailed', 1);
          const visit = await beginVisit(fx, { email });
          return seeOther(call, '/reset', { cookies: [cookie(call, 'visit', visit)] });
        },
        (faults, more) => htmlReply(forgotPage(call, faults), more),
      ),
    showReset: async (call) => {
      const visit = await visitOf(fx, readCookie(call, 'visit'));
      return visit ? htmlReply(resetPage(call, visit.email)) : seeOther(call, '/forgot');
    },
    reset: async (call) => {
      const visit = await visitOf(fx, readCookie(call, 'visit'));
      if (visit === undefined) return seeOther(call, '/forgot');
      const { email } = visit;
      return answered(
        async () => {
          await takeRateLimit(fx, call, 'reset', email);
          const password = textIn(call, 'password');
          const message = passwordFault(password, email);
          if (message !== undefined) throw fault(message, 'password');
          const userId = await inConstantTime(fx, () => fx.identities.reset(email, codeIn(call), password));
          if (userId === undefined) throw fault(WRONG_CODE, 'code');
          await fx.people.endSessions(userId);
          return seeOther(call, withNotice('/sign-in', 'reset'));
        },
        (faults, more) => htmlReply(resetPage(call, email, faults), more),
      );
    },
  };
}

function forgotPage(call: PageCall, faults?: Faults): Html {
  const [email] = newAccount(call);
  const main = html`<h1>Forgot the password?</h1>
    <p>We mail a code to your address, if it has an account.</p>
    ${form(call, { action: '/forgot', fields: [email], submit: 'Send a code' }, faults)}
    <p><a href="${call.at('/sign-in')}">Back to sign in</a></p>`;
  return layout(call, { title: 'Forgot the password?', main });
}

function resetPage(call: PageCall, email: string, faults?: Faults): Html {
  const [, password] = newAccount(call);
  const code = { name: 'code', label: 'Code', autocomplete: 'one-time-code', isNumeric: true };
  const fields = [code, { ...password, label: 'New password' }];
  const main = html`<h1>Choose a new password</h1>
    <p>If <strong>${email}</strong> has an account, we have mailed a code of six digits to it.</p>
    ${form(call, { action: '/reset', fields, submit: 'Change password' }, faults)}
    <p><a href="${call.at('/forgot')}">Send another code</a></p>`;
  return layout(call, { title: 'Choose a new password', main });
}
