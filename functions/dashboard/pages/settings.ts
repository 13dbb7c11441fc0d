import { passwordFault } from '../../../shared/domain/people/password.ts';
import { nameFault } from '../../../shared/domain/people/names.ts';
import { renewSessions } from '../../../shared/use-cases/people/keep-session.ts';
import { assertAdmin } from '../../../shared/use-cases/people/lock-members.ts';
import { answered, fault, textIn } from '../answered.ts';
import { cookie } from '../cookies.ts';
import { takeRateLimit } from '../limited.ts';
import type { MemberCall } from '../page-call.ts';
import { type DashboardReply, htmlReply, seeOther } from '../replies.ts';
import type { Needs, Pages } from '../needs.ts';
import { form } from '../views/form.ts';
import type { Faults } from '../faults-of.ts';
import { html, type Html } from '../html.ts';
import { layout } from '../views/layout.ts';
import { askButton } from '../views/ask-page.ts';
import { withNotice } from '../views/notices.ts';
import { FORGET } from './sign-in.ts';

type Section = 'rename' | 'renameOrganization' | 'changePassword';
type Names = 'settings' | 'endSessions' | Section;

export const WRONG = 'This is not your current password.';

export function settingsPages(fx: Needs): Pick<Pages, Names> {
  const handled = (call: MemberCall, section: Section, work: () => Promise<DashboardReply>) =>
    answered(work, (faults, more) => htmlReply(settingsPage(call, { [section]: faults }), more));
  /** Password guesses count towards the limit of the sign-in. */
  const drawGuess = (call: MemberCall) => takeRateLimit(fx, call, 'sign-in', call.person.email);

  return {
    settings: (call) => htmlReply(settingsPage(call, {})),
    rename: (call) =>
      handled(call, 'rename', async () => {
        const name = textIn(call, 'name').trim();
        const message = nameFault(name);
        if (message !== undefined) throw fault(message, 'name');
        await fx.people.rename(call.person.id, name);
        return seeOther(call, withNotice('/settings', 'renamed'));
      }),
    renameOrganization: (call) => handled(call, 'renameOrganization', () => renamedOrganization(fx, call)),
    changePassword: (call) =>
      handled(call, 'changePassword', async () => {
        await drawGuess(call);
        const { id, email } = call.person;
        const [present, next] = [textIn(call, 'present'), textIn(call, 'password')];
        const message = passwordFault(next, email);
        if (message !== undefined) throw fault(message, 'password');
        if (!(await fx.identities.changePassword(email, present, next))) throw fault(WRONG, 'present');
        const session = (await renewSessions(fx, id)) ?? '';
        return seeOther(call, withNotice('/settings', 'password'), {
          cookies: [cookie(call, 'session', session)],
        });
      }),
    endSessions: async (call) => {
      await fx.people.endSessions(call.person.id);
      return seeOther(call, withNotice('/sign-in', 'ended'), signedOut(call));
    },
  };
}

async function renamedOrganization(fx: Needs, call: MemberCall): Promise<DashboardReply> {
  await assertAdmin(fx, call.person);
  const name = textIn(call, 'organization').trim();
  const message = nameFault(name);
  if (message !== undefined) throw fault(message, 'organization');
  await fx.organizations.rename(call.person.orgId, name);
  return seeOther(call, withNotice('/settings', 'organization'));
}

export const signedOut = (call: MemberCall) => ({
  headers: FORGET,
  cookies: [cookie(call, 'session', '')],
});

/** For what a stolen session must not do. */
export const presentPassword = {
  name: 'present',
  label: 'Current password',
  type: 'password',
  autocomplete: 'current-password',
} as const;

function settingsPage(call: MemberCall, faults: Partial<Record<Section, Faults>>): Html {
  const { name, email, role } = call.person;
  const next = {
    name: 'password',
    label: 'New password',
    type: 'password',
    autocomplete: 'new-password',
    hint: '12 characters or more. Other sessions end.',
  } as const;
  const typed = faults.rename ? textIn(call, 'name') : name;
  const nameField = { name: 'name', label: 'Name', value: typed, autocomplete: 'name' };
  const main = html`<h1>Settings</h1>
    <p>You are signed in as <strong>${email}</strong>, ${role === 'admin' ? 'an admin' : 'a developer'}.</p>
    ${section('Your name', form(call, { action: '/rename', fields: [nameField], submit: 'Change name' }, faults.rename))}
    ${role === 'admin' && section('Organization', organizationForm(call, faults.renameOrganization))}
    ${section(
      'Password',
      form(
        call,
        { action: '/change-password', fields: [presentPassword, next], submit: 'Change password' },
        faults.changePassword,
      ),
    )}
    ${section(
      'Sessions',
      html`<p>Signs you out in every browser, this one included.</p>
        ${form(call, { action: '/end-sessions', submit: 'End all sessions', kind: 'plain' })}`,
    )}
    ${section(
      'Delete account',
      html`<p>The next page says what ends with it.</p>
        ${askButton(call, '/delete-account', {}, 'Delete account')}`,
    )}`;
  return layout(call, { title: 'Settings', main });
}

function organizationForm(call: MemberCall, faults: Faults | undefined): Html {
  const value = faults ? textIn(call, 'organization') : (call.organization?.name ?? '');
  const field = {
    name: 'organization',
    label: 'Name of the organization',
    value,
    autocomplete: 'organization',
  };
  return form(call, { action: '/rename-organization', fields: [field], submit: 'Change its name' }, faults);
}

function section(title: string, content: Html): Html {
  const id = title.toLowerCase().replaceAll(' ', '-');
  return html`<section class="card" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${content}
  </section>`;
}
