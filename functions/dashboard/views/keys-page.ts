import { KeyRoute } from '../../../shared/contract/accounts/account.ts';
import type { listKeys } from '../../../shared/use-cases/accounts/manage-keys.ts';
import { textIn } from '../answered.ts';
import type { MemberCall } from '../page-call.ts';
import { askButton } from './ask-page.ts';
import { counted } from './count.ts';
import { field, form } from './form.ts';
import type { Faults } from '../faults-of.ts';
import { html, type Html } from '../html.ts';
import { layout } from './layout.ts';
import { moment } from './moment.ts';
import { select } from './select.ts';

export type Key = Awaited<ReturnType<typeof listKeys>>['keys'][number];
type Shown = {
  keys: readonly Key[];
  /** The addresses of the members. */
  members: readonly string[];
  now: Date;
  once: string;
  faults: Faults;
};

const routeNames: Readonly<Record<KeyRoute, string>> = {
  scrape: 'Scrape',
  jobs: 'Jobs',
  crawls: 'Crawls',
  account: 'Account and usage',
  webhooks: 'Webhooks',
};

/** Days that a new key works, by the value of its field. */
export const LASTING_DAYS: Readonly<Record<string, number | undefined>> = { '30': 30, '90': 90, '365': 365 };

/** The active keys, and a form to create another. */
export function keysPage(call: MemberCall, { keys, members, now, once, faults }: Shown): Html {
  const working = keys.filter((key) => isWorking(key, now));
  const list = html`<ul class="keys">
    ${working.map((key) => keyItem(call, key, members))}
  </ul>`;
  const main = html`<h1>Keys</h1>
    ${working.length === 0 ? html`<p class="empty">There are no keys. Create one to call the API.</p>` : list}
    ${creation(call, once, faults)}`;
  return layout(call, { title: 'Keys', main });
}

/** Whether calls with it are accepted. */
export const isWorking = ({ status, expires_at: end }: Key, now: Date): boolean =>
  status === 'active' && !(end && new Date(end) <= now);

function keyItem(call: MemberCall, key: Key, members: readonly string[]): Html {
  const { key_id: id, name, last4, created_at: created, created_by: by, expires_at: expires } = key;
  const used = key.last_used_at;
  const maker = by && (members.includes(by) ? ` by ${by}` : ` by ${by}, who is no longer a member`);
  return html`<li class="card">
    <div>
      <h2>${name}</h2>
      <p><code>sf_…${last4}</code></p>
      <p class="hint">
        Created ${moment(created)}${maker}${expires ? html`, expires ${moment(expires)}` : ', never expires'}
      </p>
      <p class="hint">${used ? html`Last used ${moment(used)}, to within an hour` : 'Not used yet'}</p>
      ${restrictions(key)}
    </div>
    <div class="buttons">
      ${askButton(call, '/rotate-key', { key: id }, 'Rotate', { name: `Rotate ${name}`, kind: 'plain' })}
      ${askButton(call, '/revoke-key', { key: id }, 'Revoke', { name: `Revoke ${name}` })}
    </div>
  </li>`;
}

function restrictions({ routes, formats, credits_per_day: cap }: Key): Html | '' {
  const limits = [
    routes && `routes: ${routes}`,
    formats && `formats: ${formats}`,
    cap !== undefined && `${counted(cap, 'credit')} a day`,
  ].filter(Boolean);
  return limits.length === 0 ? '' : html`<p class="hint">Only ${limits.join('; ')}</p>`;
}

function creation(call: MemberCall, once: string, faults: Faults): Html {
  const fields = [
    {
      name: 'name',
      label: 'Name',
      hint: 'Where it is used: production, laptop.',
      value: textIn(call, 'name'),
    },
  ];
  const lasting = Object.keys(LASTING_DAYS).map((days) => ({ value: days, label: `After ${days} days` }));
  const further = html`${select({
      id: 'keys-lasting',
      name: 'lasting',
      label: 'Expires',
      options: [{ value: '', label: 'Never' }, ...lasting],
      chosen: textIn(call, 'lasting'),
      fault: faults.lasting,
    })}
    <fieldset class="field" aria-describedby="keys-route-hint">
      <legend>May call</legend>
      <p class="hint" id="keys-route-hint">If none is chosen, the key may call everything.</p>
      ${KeyRoute.options.map((route) => choice(call, route))}
    </fieldset>
    ${field(
      'keys-credits',
      {
        name: 'credits',
        label: 'Credits a day',
        hint: "At most, per UTC day. Empty: only the organization's own limit.",
        value: textIn(call, 'credits'),
        isNumeric: true,
        isOptional: true,
      },
      faults.credits,
    )}`;
  return html`<section class="card" aria-labelledby="create">
    <h2 id="create">Create a key</h2>
    ${form(call, { action: '/keys', fields, further, hidden: { once }, submit: 'Create key' }, faults)}
  </section>`;
}

function choice(call: MemberCall, route: KeyRoute): Html {
  const isChosen = call.form.getAll('route').includes(route);
  return html`<label class="choice"
    ><input type="checkbox" name="route" value="${route}" ${isChosen ? 'checked' : ''} />
    ${routeNames[route]}</label
  >`;
}
