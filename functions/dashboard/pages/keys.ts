import { KeyRoute } from '../../../shared/contract/accounts/account.ts';
import { nameFault } from '../../../shared/domain/people/names.ts';
import {
  createKey,
  type Grace,
  GRACES_MS,
  listKeys,
  type NewKey,
  rotateKey,
} from '../../../shared/use-cases/accounts/manage-keys.ts';
import { createdBy } from '../../../shared/use-cases/people/member-keys.ts';
import { answered, fault, textIn } from '../answered.ts';
import type { MemberCall } from '../page-call.ts';
import { type DashboardReply, htmlReply } from '../replies.ts';
import type { Needs, Pages } from '../needs.ts';
import { callWith } from '../views/first-call.ts';
import type { Faults } from '../faults-of.ts';
import { html, type Html } from '../html.ts';
import { keysPage, LASTING_DAYS } from '../views/keys-page.ts';
import { layout } from '../views/layout.ts';
import { moment } from '../views/moment.ts';
import { secretText } from '../views/secret-text.ts';
import { addMs, DAY_MS } from '../../../shared/time/units.ts';

export function keysPages(fx: Needs): Pick<Pages, 'keys' | 'createKey' | 'rotateKey'> {
  const show = async (call: MemberCall, faults: Faults = {}, more: object = {}) =>
    htmlReply(await shownKeys(fx, call, faults), more);
  const handled = (call: MemberCall, work: () => Promise<DashboardReply>) =>
    answered(work, (faults, more) => show(call, faults, more));

  return {
    keys: (call) => show(call),
    createKey: (call) =>
      handled(call, async () => {
        const { orgId, email } = call.person;
        const wanted = wantedKey(call, fx.now());
        await claim(fx, call);
        const { api_key } = await createdBy(fx, call.person, () =>
          createKey(fx, { ...wanted, orgId, mode: 'live', createdBy: email }),
        );
        return htmlReply(newKeyPage(call, fx, { name: wanted.name, key: api_key }));
      }),
    rotateKey: (call) =>
      handled(call, async () => {
        const [id, grace] = [textIn(call, 'key'), textIn(call, 'grace')];
        if (!isGrace(grace)) throw fault('Choose when the key ends.');
        const { orgId, email } = call.person;
        const name = (await keysOf(fx, call)).find(({ key_id }) => key_id === id)?.name ?? '';
        await claim(fx, call);
        const { api_key, replaced_until: until } = await createdBy(fx, call.person, () =>
          rotateKey(fx, id, grace, { orgId, createdBy: email }),
        );
        return htmlReply(newKeyPage(call, fx, { name, key: api_key, ...(grace !== 'none' && { until }) }));
      }),
  };
}

const keysOf = async (fx: Needs, { person }: MemberCall) => (await listKeys(fx, person.orgId)).keys;

/** Throws a fault for a form that was sent before. */
async function claim({ sessions, now }: Needs, call: MemberCall): Promise<void> {
  const once = `${call.person.id} ${textIn(call, 'once').slice(0, 64)}`;
  if (!(await sessions.claimForm(once, addMs(now(), DAY_MS)))) throw fault(SENT_TWICE);
}

async function shownKeys(fx: Needs, call: MemberCall, faults: Faults): Promise<Html> {
  const [keys, members] = await Promise.all([keysOf(fx, call), fx.people.membersOf(call.person.orgId)]);
  const addresses = members.map(({ email }) => email);
  return keysPage(call, { keys, members: addresses, now: fx.now(), once: fx.newId(), faults });
}

const isGrace = (text: string): text is Grace => Object.hasOwn(GRACES_MS, text);

/** The fields of the form. Throws a fault for an invalid one. */
function wantedKey(call: MemberCall, now: Date): Pick<NewKey, 'name' | 'expiresAt' | 'restrictions'> {
  const name = textIn(call, 'name').trim();
  const message = nameFault(name);
  if (message !== undefined) throw fault(message, 'name');
  const lasting = textIn(call, 'lasting');
  const days = Object.hasOwn(LASTING_DAYS, lasting) ? LASTING_DAYS[lasting] : undefined;
  if (lasting !== '' && days === undefined) throw fault('Choose when the key expires.', 'lasting');
  const credits = textIn(call, 'credits').trim();
  if (!/^\d{0,9}$/.test(credits)) throw fault('Enter a whole number, or nothing.', 'credits');
  const { data: routes, success } = KeyRoute.array().safeParse([...new Set(call.form.getAll('route'))]);
  if (!success) throw fault('Choose what the key may call.');
  return {
    name,
    expiresAt: days === undefined ? undefined : addMs(now, days * DAY_MS),
    restrictions: {
      ...(routes.length > 0 && { routes }),
      ...(credits !== '' && { creditsPerDay: Number(credits) }),
    },
  };
}

const SENT_TWICE =
  'This form was already sent, and its key was shown then. If you lost it, revoke it and create another.';

/** `until`: when the key that it replaces ends. */
type NewlyMade = { name: string; key: string; until?: string };

function newKeyPage(call: MemberCall, fx: Needs, { name, key, until }: NewlyMade): Html {
  const main = html`<h1>Key created</h1>
    <section class="card" aria-labelledby="key">
      <h2 id="key">${name}</h2>
      <p><strong>It is shown only once.</strong> Store it where your programs find it.</p>
      ${until && html`<p>The old key works until ${moment(until)}.</p>`} ${secretText(key, 'Copy the key')}
      ${callWith(fx, key)}
      <p><a class="button" href="${call.at('/keys')}">Back to keys</a></p>
    </section>`;
  return layout(call, { title: 'Key created', main });
}
