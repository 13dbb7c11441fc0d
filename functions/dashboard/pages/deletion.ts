import type { ApiKeyRecord } from '../../../shared/contract/accounts/account.ts';
import { leave } from '../../../shared/use-cases/people/leave.ts';
import { keysBy } from '../../../shared/use-cases/people/member-keys.ts';
import { answered, fault, textIn } from '../answered.ts';
import { takeRateLimit } from '../limited.ts';
import type { MemberCall } from '../page-call.ts';
import { htmlReply, seeOther } from '../replies.ts';
import type { Needs, Pages } from '../needs.ts';
import type { Faults } from '../faults-of.ts';
import type { Html } from '../html.ts';
import { askPage } from '../views/ask-page.ts';
import { withNotice } from '../views/notices.ts';
import { keysMadeBy } from '../views/removal-page.ts';
import { endingIn } from './members.ts';
import { presentPassword, signedOut, WRONG } from './settings.ts';

/** Asks before an account is deleted, and deletes it with its password. */
export function deletionPages(fx: Needs): Pick<Pages, 'showDeletion' | 'deleteAccount'> {
  const show = async (call: MemberCall, faults?: Faults, more: object = {}) => {
    const members = await fx.people.membersOf(call.person.orgId);
    const keys = await keysBy(fx, call.person);
    return htmlReply(deletionPage(call, { keys, isLast: members.length < 2 }, faults), more);
  };
  return {
    showDeletion: (call) => show(call),
    deleteAccount: (call) =>
      answered(
        async () => {
          await takeRateLimit(fx, call, 'sign-in', call.person.email);
          if (!(await leave(fx, call.person, textIn(call, 'present'), endingIn(call))))
            throw fault(WRONG, 'present');
          return seeOther(call, withNotice('/sign-in', 'deleted'), signedOut(call));
        },
        (faults, more) => show(call, faults, more),
      ),
  };
}

type Ending = { keys: readonly ApiKeyRecord[]; isLast: boolean };

function deletionPage(call: MemberCall, { keys, isLast }: Ending, faults?: Faults): Html {
  const [withOthers, alone] = [
    'Your sessions and invitations end. Keys belong to the organization: they keep working unless you revoke them. This cannot be undone.',
    'You are the last member, so all keys of the organization stop working. This cannot be undone.',
  ];
  const form = {
    action: '/delete-account',
    fields: [presentPassword],
    ...(!isLast && { further: keysMadeBy(keys, 'you') }),
    submit: 'Delete the account',
  };
  const back = { path: '/settings', label: 'Back to settings' };
  const asked = { title: 'Delete your account?', about: call.person.email, form, back };
  return askPage(call, { ...asked, effect: isLast ? alone : withOthers }, faults);
}
