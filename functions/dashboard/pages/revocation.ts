import { AppError } from '../../../shared/errors.ts';
import { listKeys, revokeKey } from '../../../shared/use-cases/accounts/manage-keys.ts';
import { textIn } from '../answered.ts';
import type { MemberCall } from '../page-call.ts';
import { htmlReply, seeOther } from '../replies.ts';
import type { Needs, Pages } from '../needs.ts';
import { askPage } from '../views/ask-page.ts';
import { type Html } from '../html.ts';
import { moment } from '../views/moment.ts';
import { withNotice } from '../views/notices.ts';
import { isWorking, type Key } from '../views/keys-page.ts';

/** Asks before a key is revoked, and revokes it. */
export function revocationPages(fx: Needs): Pick<Pages, 'showRevocation' | 'revokeKey'> {
  const keysOf = async ({ person }: MemberCall) => (await listKeys(fx, person.orgId)).keys;
  return {
    showRevocation: async (call) => {
      const keys = await keysOf(call);
      const key = own(keys, call.query.key?.[0] ?? '');
      const others = keys.filter((each) => each.key_id !== key.key_id && isWorking(each, fx.now()));
      return htmlReply(revocationPage(call, key, others.length === 0));
    },
    revokeKey: async (call) => {
      const key = own(await keysOf(call), textIn(call, 'key'));
      if (key.status === 'active') await revokeKey(fx, key.key_id);
      return seeOther(call, withNotice('/keys', 'revoked'));
    },
  };
}

/** Throws `not_found` for a key that is not among them. */
export function own(keys: readonly Key[], id: string): Key {
  const key = keys.find(({ key_id }) => key_id === id);
  if (key === undefined) throw new AppError('not_found', { message: 'There is no such key here.' });
  return key;
}

function revocationPage(call: MemberCall, key: Key, isLast: boolean): Html {
  const { key_id: id, name, last4, created_at: createdAt, last_used_at: used } = key;
  const last = ' It is the only key that works: afterwards no call is accepted until you create another.';
  return askPage(call, {
    title: `Revoke ${name}?`,
    about: `sf_…${last4}`,
    facts: [
      ['Created', moment(createdAt)],
      ['Last used', used === undefined ? 'Never' : moment(used)],
    ],
    effect: `Programs that use this key get 401 within 15 seconds. This cannot be undone.${isLast ? last : ''}`,
    form: { action: '/revoke-key', hidden: { key: id }, submit: 'Revoke the key' },
    back: { path: '/keys', label: 'Back to keys' },
  });
}
