import type { Visit } from '../../../shared/contract/people/person.ts';
import { nameFault } from '../../../shared/domain/people/names.ts';
import { passwordFault } from '../../../shared/domain/people/password.ts';
import { maySignUp } from '../../../shared/domain/people/sign-up-policy.ts';
import { beginVisit } from '../../../shared/use-cases/people/begin-visit.ts';
import { answered, emailIn, fault, textIn } from '../answered.ts';
import { cookie } from '../cookies.ts';
import { takeRateLimit, takeMailLimit, inConstantTime } from '../limited.ts';
import type { PageCall } from '../page-call.ts';
import { htmlReply, seeOther } from '../replies.ts';
import type { Needs, Pages } from '../needs.ts';
import { form } from '../views/form.ts';
import type { Faults } from '../faults-of.ts';
import { html, type Html } from '../html.ts';
import { layout } from '../views/layout.ts';

export function signUpPages(fx: Needs): Pick<Pages, 'showSignUp' | 'signUp'> {
  const { signUpPolicy: policy } = fx;
  return {
    showSignUp: (call) => htmlReply(signUpPage(call, fx)),
    signUp: (call) =>
      answered(
        async () => {
          const email = emailIn(call);
          if (!maySignUp(policy, email, false)) throw fault('This address may not sign up here.', 'email');
          const message = passwordFault(textIn(call, 'password'), email);
          if (message !== undefined) throw fault(message, 'password');
          const organization = organizationIn(call);
          await takeRateLimit(fx, call, 'sign-up', email);
          return beginSignUp(fx, call, { email, ...(organization !== '' && { organization }) });
        },
        (faults, more) => htmlReply(signUpPage(call, fx, faults), more),
      ),
  };
}

/** Signs up and leads to the code. The visitor learns the same whether or not the address has an account. */
export async function beginSignUp(
  fx: Needs,
  call: PageCall,
  known: Pick<Visit, 'email' | 'invitation' | 'organization'>,
) {
  await takeMailLimit(fx, known.email);
  const made = await inConstantTime(fx, () => fx.identities.signUp(known.email, textIn(call, 'password')));
  if (made) fx.count('SignUps', 1);
  if (made) fx.count('CodesMailed', 1);
  const visit = await beginVisit(fx, { ...known, userId: made?.userId });
  return seeOther(call, '/confirm', { cookies: [cookie(call, 'visit', visit)] });
}

function signUpPage(call: PageCall, { signUpPolicy: policy }: Needs, faults?: Faults): Html {
  const isOpen = policy !== 'invite' && policy !== 'closed';
  const main = html`<h1>Create an account</h1>
    ${
      isOpen
        ? html`<p class="lead">You get an API key, and credits to begin with.</p>
            ${form(call, { action: '/sign-up', fields: [...newAccount(call), organization(call)], submit: 'Create account' }, faults)}`
        : html`<p>
            ${
              policy === 'closed'
                ? 'New accounts cannot be created here.'
                : 'Accounts are created by invitation here. Follow the link that you were sent.'
            }
          </p>`
    }
    <p>Already have an account? <a href="${call.at('/sign-in')}">Sign in</a></p>`;
  return layout(call, { title: 'Create an account', main });
}

/** What the visitor's organization is to be called; nothing for a name from the address. */
function organizationIn(call: PageCall): string {
  const name = textIn(call, 'organization').trim();
  const message = name === '' ? undefined : nameFault(name);
  if (message !== undefined) throw fault(message, 'organization');
  return name;
}

const organization = (call: PageCall) => ({
  name: 'organization',
  label: 'Organization',
  value: textIn(call, 'organization'),
  autocomplete: 'organization',
  hint: 'Your company or project. It can be changed later.',
  isOptional: true,
});

/** The fields of a new account. */
export const newAccount = (call: PageCall) =>
  [
    { name: 'email', label: 'E-mail', type: 'email', value: textIn(call, 'email'), autocomplete: 'username' },
    {
      name: 'password',
      label: 'Password',
      type: 'password',
      autocomplete: 'new-password',
      hint: '12 characters or more.',
    },
  ] as const;
