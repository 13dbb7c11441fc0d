import type { ApiKeyRecord } from '../../../shared/contract/accounts/account.ts';
import type { Person } from '../../../shared/contract/people/person.ts';
import type { MemberCall } from '../page-call.ts';
import { counted } from './count.ts';
import { form } from './form.ts';
import { html, type Html } from '../html.ts';
import { layout } from './layout.ts';
import { keysChoice } from './members-page.ts';
import { moment } from './moment.ts';

/** What removing a member ends, and a choice for the keys that the member made. */
export function removalPage(call: MemberCall, member: Person, keys: readonly ApiKeyRecord[]): Html {
  const { id, name, email } = member;
  const main = html`<h1>Remove ${name}?</h1>
    <section class="card" aria-labelledby="removal">
      <h2 id="removal">${email}</h2>
      <p>
        All sessions and open invitations of this member end at once. Keys belong to the organization: they
        keep working, whoever has them, unless you revoke them.
      </p>
      ${keys.length === 0 ? html`<p>The member has made no key that still works.</p>` : keyList(keys)}
      ${form(call, {
        action: '/remove-member',
        hidden: { member: id },
        ...(keys.length > 0 && {
          further: keysChoice(`Revoke ${counted(keys.length, 'key')} of this member`),
        }),
        submit: 'Remove',
        kind: 'danger',
      })}
      <p><a href="${call.at('/members')}">Back to members</a></p>
    </section>`;
  return layout(call, { title: 'Remove a member', main });
}

function keyList(keys: readonly ApiKeyRecord[]): Html {
  return html`<p>Keys that this member made:</p>
    <ul>
      ${keys.map(
        ({ name, last4, createdAt }) =>
          html`<li>${name} (<code>sf_…${last4}</code>), created ${moment(createdAt)}</li>`,
      )}
    </ul>`;
}
