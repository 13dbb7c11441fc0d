import { nameFault } from '../../../shared/domain/people/names.ts';
import { renewSessions } from '../../../shared/use-cases/people/keep-session.ts';
import { leave } from '../../../shared/use-cases/people/leave.ts';
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
import { keysChoice } from '../views/members-page.ts';
import { withNotice } from '../views/notices.ts';
import { endingIn } from './members.ts';
import { FORGET } from './sign-in.ts';

type Section = 'rename' | 'changePassword' | 'deleteAccount';

const WRONG = 'This is not your current password.';

export function settingsPages(fx: Needs): Pick<Pages, 'settings' | 'endSessions' | Section> {
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
    changePassword: (call) =>
      handled(call, 'changePassword', async () => {
        await drawGuess(call);
        const { id, email } = call.person;
        const [present, next] = [textIn(call, 'present'), textIn(call, 'password')];
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
    deleteAccount: (call) =>
      handled(call, 'deleteAccount', async () => {
        await drawGuess(call);
        if (!(await leave(fx, call.person, textIn(call, 'present'), endingIn(call))))
          throw fault(WRONG, 'present');
        return seeOther(call, withNotice('/sign-in', 'deleted'), signedOut(call));
      }),
  };
}

const signedOut = (call: MemberCall) => ({ headers: FORGET, cookies: [cookie(call, 'session', '')] });

const present = {
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
    ${section(
      'Password',
      form(
        call,
        { action: '/change-password', fields: [present, next], submit: 'Change password' },
        faults.changePassword,
      ),
    )}
    ${section(
      'Sessions',
      html`<p>Signs you out in every browser, this one included.</p>
        ${form(call, { action: '/end-sessions', submit: 'End all sessions', kind: 'plain' })}`,
    )}
    ${section('Delete account', deletion(call, faults.deleteAccount))}`;
  return layout(call, { title: 'Settings', main });
}

function deletion(call: MemberCall, faults: Faults | undefined): Html {
  return html`<p>
      This cannot be undone. If you are the last member, all keys stop working. Otherwise the keys that you
      made stay, unless you revoke them.
    </p>
    ${form(
      call,
      {
        action: '/delete-account',
        fields: [present],
        further: keysChoice('Revoke the keys that I made'),
        submit: 'Delete account',
        kind: 'danger',
      },
      faults,
    )}`;
}

function section(title: string, content: Html): Html {
  const id = title.toLowerCase().replaceAll(' ', '-');
  return html`<section class="card" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${content}
  </section>`;
}
