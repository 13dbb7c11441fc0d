import type { ApiKeyRecord } from '../../../shared/contract/accounts/account.ts';
import { type Person, Role } from '../../../shared/contract/people/person.ts';
import { listInvitations } from '../../../shared/use-cases/people/manage-invitations.ts';
import { assertAdmin } from '../../../shared/use-cases/people/lock-members.ts';
import {
  changeRole,
  type Ending,
  leaveOrganization,
  listMembers,
  memberOf,
  removeMember,
} from '../../../shared/use-cases/people/manage-members.ts';
import { keysBy } from '../../../shared/use-cases/people/member-keys.ts';
import { answered, fault, idIn, textIn } from '../answered.ts';
import { cookie } from '../cookies.ts';
import type { MemberCall } from '../page-call.ts';
import { type DashboardReply, htmlReply, seeOther } from '../replies.ts';
import type { Needs, Pages } from '../needs.ts';
import type { Faults } from '../faults-of.ts';
import type { Html } from '../html.ts';
import { askPage } from '../views/ask-page.ts';
import { membersPage } from '../views/members-page.ts';
import { keysMadeBy, removalPage } from '../views/removal-page.ts';
import { withNotice } from '../views/notices.ts';
import { FORGET } from './sign-in.ts';

type Names = 'members' | 'changeRole' | 'showRemoval' | 'removeMember' | 'showLeaving' | 'leave';

export function membersPages(fx: Needs): Pick<Pages, Names> {
  const handled = (call: MemberCall, work: () => Promise<DashboardReply>) => onMembersPage(fx, call, work);

  return {
    members: (call) => show(fx, call),
    changeRole: (call) =>
      handled(call, async () => {
        await changeRole(fx, call.person, textIn(call, 'member'), roleIn(call, 'role'));
        return seeOther(call, withNotice('/members', 'role'));
      }),
    showRemoval: (call) =>
      handled(call, async () => {
        await assertAdmin(fx, call.person);
        const member = await memberOf(fx, call.person.orgId, idIn(call, 'member'));
        return htmlReply(removalPage(call, member, await keysBy(fx, member)));
      }),
    removeMember: (call) =>
      handled(call, async () => {
        const ending = endingIn(call);
        await removeMember(fx, call.person, textIn(call, 'member'), ending);
        const notice = ending.keys === 'revoked' ? 'removedWithKeys' : 'removed';
        return isSelf(call) ? signedOut(call) : seeOther(call, withNotice('/members', notice));
      }),
    showLeaving: async (call) => htmlReply(leavingPage(call, await keysBy(fx, call.person))),
    leave: (call) =>
      handled(call, async () => {
        await leaveOrganization(fx, call.person, endingIn(call));
        return signedOut(call);
      }),
  };
}

function leavingPage(call: MemberCall, keys: readonly ApiKeyRecord[]): Html {
  return askPage(call, {
    title: `Leave ${call.organization?.name ?? 'this organization'}?`,
    about: call.person.email,
    effect: 'You keep your account, and can accept another invitation. Your invitations end at once.',
    form: { action: '/leave', further: keysMadeBy(keys, 'you'), submit: 'Leave the organization' },
    back: { path: '/members', label: 'Back to members' },
  });
}

async function show(
  fx: Needs,
  call: MemberCall,
  faults: Faults = {},
  more: object = {},
): Promise<DashboardReply> {
  const { orgId, role } = call.person;
  const members = await listMembers(fx, orgId);
  const invitations = role === 'admin' ? await listInvitations(fx, orgId, members) : [];
  return htmlReply(membersPage(call, { members, invitations, once: fx.newId(), faults }), more);
}

/** Handles a form of this page. */
export const onMembersPage = (fx: Needs, call: MemberCall, work: () => Promise<DashboardReply>) =>
  answered(work, (faults, more) => show(fx, call, faults, more));

/** Whether the form says that the member's keys end, too. */
export const endingIn = (call: MemberCall): Ending => ({
  keys: textIn(call, 'keys') === 'revoked' ? 'revoked' : 'stay',
});

const isSelf = (call: MemberCall) => textIn(call, 'member') === call.person.id;

export function roleIn(call: MemberCall, name: string, absent?: Person['role']): Person['role'] {
  const { data } = Role.safeParse(textIn(call, name) || absent);
  if (data === undefined) throw fault('Choose a role.');
  return data;
}

function signedOut(call: MemberCall): DashboardReply {
  const cookies = [cookie(call, 'session', '')];
  return seeOther(call, withNotice('/sign-in', 'left'), { headers: FORGET, cookies });
}
