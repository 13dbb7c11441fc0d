import { beginVisit, visitOf } from '../../../shared/use-cases/people/begin-visit.ts';
import { enterOrganization } from '../../../shared/use-cases/people/enter-organization.ts';
import { closeSession, openSession } from '../../../shared/use-cases/people/keep-session.ts';
import { answered, emailIn, fault, textIn } from '../answered.ts';
import { cookie, readCookie } from '../cookies.ts';
import { takeRateLimit, inConstantTime, secondsToMail } from '../limited.ts';
import type { PageCall } from '../page-call.ts';
import { type DashboardReply, htmlReply, seeOther } from '../replies.ts';
import type { Needs, Pages } from '../needs.ts';
import { form } from '../views/form.ts';
import type { Faults } from '../faults-of.ts';
import { html, type Html } from '../html.ts';
import { layout } from '../views/layout.ts';
import { welcomePage } from './welcome.ts';

/** Browsers then drop everything they keep of this site, including pages for the back button. */
export const FORGET = { 'Clear-Site-Data': '"cache", "cookies", "storage"' };

const NO_PLACE = 'This account belongs to no organization. Ask for an invitation.';

export function signInPages(fx: Needs): Pick<Pages, 'showSignIn' | 'signIn' | 'signOut'> {
  return {
    showSignIn: async (call) => {
      const visit = await visitOf(fx, readCookie(call, 'visit'));
      return htmlReply(signInPage(call, fx, visit?.email ?? ''));
    },
    signIn: (call) =>
      answered(
        async () => {
          const email = emailIn(call);
          await takeRateLimit(fx, call, 'sign-in', email);
          const visit = await visitOf(fx, readCookie(call, 'visit'));
          const { invitation, organization } = visit ?? {};
          return enter(fx, call, email, { invitation, organization });
        },
        ({ invitation, form: other, ...faults }, more) => {
          const shown = signInPage(call, fx, textIn(call, 'email'), { ...faults, form: invitation ?? other });
          // The next sign-in continues without the invitation.
          const cookies = invitation === undefined ? [] : [cookie(call, 'visit', '')];
          return htmlReply(shown, { ...more, cookies });
        },
      ),
    signOut: async (call) => {
      await closeSession(fx, readCookie(call, 'session'));
      return seeOther(call, '/sign-in', { headers: FORGET, cookies: [cookie(call, 'session', '')] });
    },
  };
}

type SignInOptions = {
  invitation?: string | undefined;
  organization?: string | undefined;
  isJoining?: boolean;
};

/** Begins a session with the password in the form. */
export async function enter(
  fx: Needs,
  call: PageCall,
  email: string,
  options: SignInOptions,
): Promise<DashboardReply> {
  const known = await inConstantTime(fx, () => fx.identities.signIn(email, textIn(call, 'password')));
  if (known.outcome === 'refused') {
    fx.count('SignInsRefused', 1);
    throw fault('The address or the password is wrong.');
  }
  const { userId } = known;
  if (known.outcome === 'unconfirmed') {
    // Beyond the limit an earlier code still counts.
    if ((await secondsToMail(fx, email)) === 0) {
      await fx.identities.resend(userId);
      fx.count('CodesMailed', 1);
    }
    const { invitation, organization } = options;
    const visit = await beginVisit(fx, { email, userId, invitation, organization });
    return seeOther(call, '/confirm', { cookies: [cookie(call, 'visit', visit)] });
  }
  return openMembership(fx, call, { userId, email, ...options });
}

/** Begins the session of a known user. An organization's first session shows its first key. */
export async function openMembership(
  fx: Needs,
  call: PageCall,
  user: SignInOptions & { userId: string; email: string },
): Promise<DashboardReply> {
  const entered = await enterOrganization(fx, { ...user, policy: fx.signUpPolicy });
  if (entered === undefined) throw fault(NO_PLACE);
  const { person, firstKey } = entered;
  // An earlier session may be known to others, so it ends here.
  await closeSession(fx, readCookie(call, 'session'));
  const cookies = [cookie(call, 'session', await openSession(fx, person)), cookie(call, 'visit', '')];
  if (firstKey === undefined) return seeOther(call, '/', { cookies });
  const organization = await fx.organizations.find(person.orgId);
  const member = { ...call, person, ...(organization && { organization }) };
  return htmlReply(welcomePage(member, fx, firstKey), { cookies });
}

function signInPage(call: PageCall, { signUpPolicy }: Needs, email: string, faults?: Faults): Html {
  const fields = [
    { name: 'email', label: 'E-mail', type: 'email', value: email, autocomplete: 'username' },
    { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' },
  ] as const;
  const isOpen = signUpPolicy !== 'invite' && signUpPolicy !== 'closed';
  const main = html`<h1>Sign in</h1>
    ${form(call, { action: '/sign-in', fields, submit: 'Sign in' }, faults)}
    <p><a href="${call.at('/forgot')}">Forgot the password?</a></p>
    ${isOpen && html`<p>New here? <a href="${call.at('/sign-up')}">Create an account</a></p>`}`;
  return layout(call, { title: 'Sign in', main });
}
