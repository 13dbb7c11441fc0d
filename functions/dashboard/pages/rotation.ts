import { type Grace, listKeys } from '../../../shared/use-cases/accounts/manage-keys.ts';
import type { MemberCall } from '../page-call.ts';
import { htmlReply } from '../replies.ts';
import type { Needs, Pages } from '../needs.ts';
import { askPage } from '../views/ask-page.ts';
import { type Html } from '../html.ts';
import { isWorking, type Key } from '../views/keys-page.ts';
import { moment } from '../views/moment.ts';
import { select } from '../views/select.ts';
import { own } from './revocation.ts';

const graceNames: Readonly<Record<Grace, string>> = {
  none: 'at once',
  hour: 'in an hour',
  day: 'in 24 hours',
};

/** Asks when a key ends before it is replaced. */
export function rotationPages(fx: Needs): Pick<Pages, 'showRotation'> {
  return {
    showRotation: async (call) => {
      const { keys } = await listKeys(fx, call.person.orgId);
      const working = keys.filter((key) => isWorking(key, fx.now()));
      return htmlReply(rotationPage(call, own(working, call.query.key?.[0] ?? ''), fx.newId()));
    },
  };
}

function rotationPage(call: MemberCall, key: Key, once: string): Html {
  const { key_id: id, name, last4, created_at: createdAt, last_used_at: used } = key;
  return askPage(call, {
    title: `Rotate ${name}?`,
    about: `sf_…${last4}`,
    facts: [
      ['Created', moment(createdAt)],
      ['Last used', used === undefined ? 'Never' : moment(used)],
    ],
    effect:
      'You get a new key with the same name and limits, which is shown once. Programs that still use the old key when it ends get 401; if it ends at once, within 15 seconds. This cannot be undone.',
    form: {
      action: '/rotate-key',
      hidden: { key: id, once },
      further: select({
        id: 'rotate-key-grace',
        name: 'grace',
        label: 'The old key ends',
        options: Object.entries(graceNames).map(([value, label]) => ({ value, label })),
        chosen: 'hour',
      }),
      submit: 'Rotate the key',
    },
    back: { path: '/keys', label: 'Back to keys' },
  });
}
