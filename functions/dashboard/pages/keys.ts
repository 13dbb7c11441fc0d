import { nameFault } from '../../../shared/domain/account/names.ts';
import { AppError } from '../../../shared/errors.ts';
import { createKey, listKeys, revokeKey } from '../../../shared/use-cases/manage-keys.ts';
import { answered, fault, textIn } from '../answered.ts';
import type { MemberCall } from '../page-call.ts';
import { pageReply, seeOther } from '../page-reply.ts';
import type { Needs, Pages } from '../pages.ts';
import { callWith } from '../views/first-call.ts';
import { type Faults, form } from '../views/form.ts';
import { html, type Html } from '../views/html.ts';
import { layout } from '../views/layout.ts';
import { moment } from '../views/moment.ts';
import { withNotice } from '../views/notices.ts';
import { secretText } from '../views/secret-text.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

export function keysPages(fx: Needs): Pick<Pages, 'keys' | 'createKey' | 'revokeKey'> {
  const keysOf = async ({ person }: MemberCall) => (await listKeys(fx, person.orgId)).keys;
  const show = async (call: MemberCall, faults: Faults = {}, more: object = {}) =>
    pageReply(keysPage(call, await keysOf(call), fx.newId(), faults), more);

  return {
    keys: (call) => show(call),
    createKey: (call) =>
      answered(
        async () => {
          const name = textIn(call, 'name').trim();
          const message = nameFault(name);
          if (message !== undefined) throw fault(message, 'name');
          const expiresAt = new Date(fx.now().getTime() + DAY_MS);
          const once = `${call.person.id} ${textIn(call, 'once').slice(0, 64)}`;
          if (!(await fx.visits.claimForm(once, expiresAt))) throw fault(SENT_TWICE);
          const { api_key } = await createKey(fx, { orgId: call.person.orgId, name, mode: 'live' });
          return pageReply(newKeyPage(call, fx, name, api_key));
        },
        (faults, more) => show(call, faults, more),
      ),
    revokeKey: async (call) => {
      const id = textIn(call, 'key');
      const own = (await keysOf(call)).find(({ key_id }) => key_id === id);
      if (own === undefined) throw new AppError('not_found', { message: 'There is no such key here.' });
      if (own.status === 'active') await revokeKey(fx, id);
      return seeOther(call, withNotice('/keys', 'revoked'));
    },
  };
}

const SENT_TWICE =
  'This form was sent before, and its key was shown then. If you lost it, revoke it and create another.';

type Keys = Awaited<ReturnType<typeof listKeys>>['keys'];

function keysPage(call: MemberCall, keys: Keys, once: string, faults: Faults): Html {
  const active = keys.filter(({ status }) => status === 'active');
  const fields = [
    {
      name: 'name',
      label: 'Name',
      hint: 'Where it is used: production, laptop.',
      value: textIn(call, 'name'),
    },
  ];
  const main = html`<h1>Keys</h1>
    ${
      active.length === 0
        ? html`<p class="empty">There are no keys. Create one to call the API.</p>`
        : html`<ul class="keys">
            ${active.map((key) => keyItem(call, key))}
          </ul>`
    }
    <section class="card" aria-labelledby="create">
      <h2 id="create">Create a key</h2>
      ${form(call, { action: '/keys', fields, hidden: { once }, submit: 'Create key' }, faults)}
    </section>`;
  return layout(call, { title: 'Keys', main });
}

function keyItem(call: MemberCall, { key_id, name, last4, created_at, expires_at }: Keys[number]): Html {
  return html`<li class="card">
    <div>
      <h2>${name}</h2>
      <p><code>sf_…${last4}</code></p>
      <p class="hint">
        Created ${moment(created_at)}${expires_at ? html`, expires ${moment(expires_at)}` : ', never expires'}
      </p>
    </div>
    <form method="post" action="${call.at('/revoke-key')}">
      <input type="hidden" name="key" value="${key_id}" />
      <button class="danger" aria-label="Revoke ${name}">Revoke</button>
    </form>
  </li>`;
}

function newKeyPage(call: MemberCall, fx: Needs, name: string, key: string): Html {
  const main = html`<h1>Key created</h1>
    <section class="card" aria-labelledby="key">
      <h2 id="key">${name}</h2>
      <p><strong>It is shown this once.</strong> Store it where your programs find it.</p>
      ${secretText(key, 'Copy the key')} ${secretText(callWith(fx, key), 'Copy')}
      <p><a class="button" href="${call.at('/keys')}">Back to keys</a></p>
    </section>`;
  return layout(call, { title: 'Key created', main });
}
