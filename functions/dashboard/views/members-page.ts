import type { Person } from '../../../shared/contract/person.ts';
import type { MemberCall } from '../page-call.ts';
import { type Faults, form } from './form.ts';
import { html, type Html } from './html.ts';
import { layout } from './layout.ts';
import { moment } from './moment.ts';

type Shown = { members: readonly Person[]; once: string; faults: Faults };

/** The members of an organization. Admins also get the forms to change them. */
export function membersPage(call: MemberCall, { members, once, faults }: Shown): Html {
  const isAdmin = call.person.role === 'admin';
  const main = html`<h1>Members</h1>
    ${faults.form && html`<p class="fault" role="alert">${faults.form}</p>`}
    <ul class="members">
      ${members.map((member) => memberItem(call, member))}
    </ul>
    ${isAdmin ? invitation(call, once) : html`<p class="lead">Admins invite, change and remove members.</p>`}
    ${members.length > 1 && leaving(call)}`;
  return layout(call, { title: 'Members', main });
}

function memberItem(call: MemberCall, { id, name, email, role, createdAt }: Person): Html {
  const isSelf = id === call.person.id;
  return html`<li class="card">
    <div>
      <h2>${name}${isSelf && html` <span class="tag">you</span>`}</h2>
      <p>${email}</p>
      <p class="hint">${role === 'admin' ? 'Admin' : 'Developer'}, joined ${moment(createdAt, 'day')}</p>
    </div>
    ${call.person.role === 'admin' && !isSelf && changes(call, { id, email, role })}
  </li>`;
}

function changes(call: MemberCall, { id, email, role }: Pick<Person, 'id' | 'email' | 'role'>): Html {
  const [other, label] = role === 'admin' ? ['developer', 'Make developer'] : ['admin', 'Make admin'];
  return html`<div class="buttons">
    <form method="post" action="${call.at('/change-role')}">
      <input type="hidden" name="member" value="${id}" />
      <input type="hidden" name="role" value="${other}" />
      <button aria-label="${label}: ${email}">${label}</button>
    </form>
    <form method="post" action="${call.at('/remove-member')}">
      <input type="hidden" name="member" value="${id}" />
      <button class="danger" aria-label="Remove ${email}">Remove</button>
    </form>
  </div>`;
}

function invitation(call: MemberCall, once: string): Html {
  const alternatives = [{ value: 'admin', label: 'Invite an admin' }];
  return html`<section class="card" aria-labelledby="invite">
    <h2 id="invite">Invite a person</h2>
    <p>
      Makes a link for one person, which works once and for seven days. Admins change members; keys are for
      both.
    </p>
    ${form(call, { action: '/members', hidden: { once }, submit: 'Invite a developer', alternatives })}
  </section>`;
}

function leaving(call: MemberCall): Html {
  return html`<section class="card" aria-labelledby="leave">
    <h2 id="leave">Leave this organization</h2>
    <p>You keep your account and can accept another invitation.</p>
    ${form(call, { action: '/leave', submit: 'Leave', kind: 'danger' })}
  </section>`;
}
