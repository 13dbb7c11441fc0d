import type { ApiKeyRecord } from '../../../shared/contract/accounts/account.ts';
import type { Person } from '../../../shared/contract/people/person.ts';
import type { MemberCall } from '../page-call.ts';
import { askPage } from './ask-page.ts';
import { counted } from './count.ts';
import { html, type Html } from '../html.ts';
import { keysChoice } from './members-page.ts';
import { moment } from './moment.ts';

/** What removing a member ends, and a choice for the keys that the member made. */
export function removalPage(call: MemberCall, member: Person, keys: readonly ApiKeyRecord[]): Html {
  const { id, name, email } = member;
  return askPage(call, {
    title: `Remove ${name}?`,
    about: email,
    effect:
      'All sessions and open invitations of this member end at once. Keys belong to the organization: they keep working unless you revoke them.',
    form: {
      action: '/remove-member',
      hidden: { member: id },
      further: keysMadeBy(keys, 'this member'),
      submit: 'Remove the member',
    },
    back: { path: '/members', label: 'Back to members' },
  });
}

/** The keys that a leaving member created, and a choice to revoke them. */
export function keysMadeBy(keys: readonly ApiKeyRecord[], who: string): Html {
  if (keys.length === 0) return html`<p>No key that still works was made by ${who}.</p>`;
  return html`<p>Keys that were made by ${who}:</p>
    <ul>
      ${keys.map(
        ({ name, last4, createdAt }) =>
          html`<li>${name} (<code>sf_…${last4}</code>), created ${moment(createdAt)}</li>`,
      )}
    </ul>
    ${keysChoice(`Revoke ${counted(keys.length, 'key')} of ${who}`)}`;
}
