import type { Person } from '../../../shared/contract/people/person.ts';
import type { MemberCall } from '../page-call.ts';
import type { ListedInvitation } from '../../../shared/use-cases/people/manage-invitations.ts';
import { askButton } from './ask-page.ts';
import { form } from './form.ts';
import type { Faults } from '../faults-of.ts';
import { html, type Html } from '../html.ts';
import { layout } from './layout.ts';
import { moment } from './moment.ts';

type Shown = {
  members: readonly Person[];
  invitations: readonly ListedInvitation[];
  once: string;
  faults: Faults;
};

/** The members of an organization. Admins also get the forms to change them. */
export function membersPage(call: MemberCall, { members, invitations, once, faults }: Shown): Html {
  const isAdmin = call.person.role === 'admin';
  const main = html`<h1>Members</h1>
    ${faults.form && html`<p class="fault" role="alert">${faults.form}</p>`}
    <ul class="members">
      ${members.map((member) => memberItem(call, member))}
    </ul>
    ${invitations.length > 0 && openInvitations(call, invitations)}
    ${isAdmin ? invitation(call, once) : html`<p class="lead">Admins invite, change and remove members.</p>`}
    ${members.length > 1 && leaving(call)}`;
  return layout(call, { title: 'Members', main });
}

function memberItem(call: MemberCall, member: Person): Html {
  const { id, name, email, role, createdAt, invitedBy: by } = member;
  const isSelf = id === call.person.id;
  return html`<li class="card">
    <div>
      <h2>${name}${isSelf && html` <span class="tag">you</span>`}</h2>
      <p>${email}</p>
      <p class="hint">
        ${roleNames[role]}, joined ${moment(createdAt, 'day')}${by && ` by an invitation of ${by}`}
      </p>
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
    ${askButton(call, '/remove-member', { member: id }, 'Remove', { name: `Remove ${email}` })}
  </div>`;
}

export const roleNames = { admin: 'Admin', developer: 'Developer' } as const;

function openInvitations(call: MemberCall, invitations: readonly ListedInvitation[]): Html {
  return html`<section class="card" aria-labelledby="invitations">
    <h2 id="invitations">Open invitations</h2>
    <p>Each lets one person join. It ends when its maker leaves or is no longer an admin.</p>
    <ul class="invitations">
      ${invitations.map((it) => invitationItem(call, it))}
    </ul>
  </section>`;
}

function invitationItem(call: MemberCall, it: ListedInvitation): Html {
  const { hash, role, maker, createdAt, expiresAt } = it;
  const by = makerName(maker);
  return html`<li>
    <div>
      <p>${roleNames[role]}, by ${by}</p>
      <p class="hint">Made ${moment(createdAt)}, expires ${moment(expiresAt)}</p>
    </div>
    ${askButton(call, '/withdraw-invitation', { invitation: hash }, 'Withdraw', {
      name: `Withdraw the invitation for ${role} by ${by}`,
    })}
  </li>`;
}

export const makerName = (maker: ListedInvitation['maker']): string =>
  maker.kind === 'member' ? maker.email : 'the operator';

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
    ${askButton(call, '/leave', {}, 'Leave')}
  </section>`;
}

/** A check box for the keys of a member who goes. They are the organization's, and stay without it. */
export const keysChoice = (label: string): Html =>
  html`<label class="choice"><input type="checkbox" name="keys" value="revoked" /> ${label}</label>`;
