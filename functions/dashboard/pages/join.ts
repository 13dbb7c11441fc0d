import { maySignUp } from '../../../shared/domain/people/sign-up-policy.ts';
import { VOID_INVITATION } from '../../../shared/use-cases/people/enter-organization.ts';
import { openInvitation } from '../../../shared/use-cases/people/manage-invitations.ts';
import { passwordFault } from '../../../shared/domain/people/password.ts';
import { answered, emailIn, fault, textIn } from '../answered.ts';
import { takeRateLimit } from '../limited.ts';
import type { PageCall } from '../page-call.ts';
import { htmlReply } from '../replies.ts';
import type { Needs, Pages } from '../needs.ts';
import { form } from '../views/form.ts';
import type { Faults } from '../faults-of.ts';
import { html, type Html } from '../html.ts';
import { layout } from '../views/layout.ts';
import { enter } from './sign-in.ts';
import { beginSignUp, newAccount } from './sign-up.ts';

/** Accepts an invitation. Its code follows the # of the link, which browsers do not send. */
export function joinPages(fx: Needs): Pick<Pages, 'showJoin' | 'join'> {
  return {
    showJoin: (call) => htmlReply(joinPage(call)),
    join: (call) =>
      answered(
        async () => {
          const email = emailIn(call);
          await takeRateLimit(fx, call, 'join', email);
          const found = await openInvitation(fx, textIn(call, 'invitation'));
          const isKnown = textIn(call, 'button') === 'known';
          // The user who has taken it up may continue.
          if (found === undefined || (found.isTaken && !isKnown)) throw fault(VOID_INVITATION, 'invitation');
          if (isKnown) return enter(fx, call, email, { invitation: found.hash, isJoining: true });
          if (!maySignUp(fx.signUpPolicy, email, true)) throw fault('New accounts cannot be created here.');
          const message = passwordFault(textIn(call, 'password'), email);
          if (message !== undefined) throw fault(message, 'password');
          return beginSignUp(fx, call, { email, invitation: found.hash });
        },
        (faults, more) => htmlReply(joinPage(call, faults), more),
      ),
  };
}

function joinPage(call: PageCall, faults?: Faults): Html {
  const hint = 'Paste the whole link, or the part after the #.';
  const fields = [
    { name: 'invitation', label: 'Invitation', type: 'password', hint },
    ...newAccount(call),
  ] as const;
  const alternatives = [{ value: 'known', label: 'I have an account' }];
  const main = html`<h1>Accept an invitation</h1>
    <p class="lead">
      Join an organization with a new account, or with one that belongs to no organization yet.
    </p>
    ${form(call, { action: '/join', fields, submit: 'Create account and join', alternatives }, faults)}`;
  return layout(call, { title: 'Accept an invitation', main });
}
