import { type Person, Role } from '../../../shared/contract/person.ts';
import { invite } from '../../../shared/use-cases/invite.ts';
import {
  changeRole,
  leaveOrganization,
  listMembers,
  notAdmin,
  removeMember,
} from '../../../shared/use-cases/manage-members.ts';
import { answered, fault, textIn } from '../answered.ts';
import { cookie } from '../cookies.ts';
import type { MemberCall } from '../page-call.ts';
import { type PageReply, pageReply, seeOther } from '../page-reply.ts';
import type { Needs, Pages } from '../needs.ts';
import type { Faults } from '../views/form.ts';
import { html, type Html } from '../views/html.ts';
import { layout } from '../views/layout.ts';
import { membersPage } from '../views/members-page.ts';
import { moment } from '../views/moment.ts';
import { withNotice } from '../views/notices.ts';
import { secretText } from '../views/secret-text.ts';
import { FORGET } from './sign-in.ts';

type Names = 'members' | 'inviteMember' | 'changeRole' | 'removeMember' | 'leave';

const DAY_MS = 24 * 60 * 60 * 1_000;
const SENT_TWICE = 'This form was already sent, and its link was shown then. Create another.';

export function membersPages(fx: Needs): Pick<Pages, Names> {
  const show = async (call: MemberCall, faults: Faults = {}, more: object = {}) => {
    const members = await listMembers(fx, call.person.orgId);
    return pageReply(membersPage(call, { members, once: fx.newId(), faults }), more);
  };
  const handled = (call: MemberCall, work: () => Promise<PageReply>) =>
    answered(work, (faults, more) => show(call, faults, more));

  return {
    members: (call) => show(call),
    inviteMember: (call) =>
      handled(call, async () => {
        if (call.person.role !== 'admin') throw notAdmin();
        const once = `${call.person.id} ${textIn(call, 'once').slice(0, 64)}`;
        if (!(await fx.visits.claimForm(once, new Date(fx.now().getTime() + DAY_MS))))
          throw fault(SENT_TWICE);
        const invitation = await invite(fx, call.person.orgId, roleIn(call, 'button', 'developer'));
        return pageReply(invitedPage(call, invitation));
      }),
    changeRole: (call) =>
      handled(call, async () => {
        await changeRole(fx, call.person, textIn(call, 'member'), roleIn(call, 'role'));
        return seeOther(call, withNotice('/members', 'role'));
      }),
    removeMember: (call) =>
      handled(call, async () => {
        await removeMember(fx, call.person, textIn(call, 'member'));
        return isSelf(call) ? signedOut(call) : seeOther(call, withNotice('/members', 'removed'));
      }),
    leave: (call) =>
      handled(call, async () => {
        await leaveOrganization(fx, call.person);
        return signedOut(call);
      }),
  };
}

const isSelf = (call: MemberCall) => textIn(call, 'member') === call.person.id;

function roleIn(call: MemberCall, name: string, absent?: Person['role']): Person['role'] {
  const { data } = Role.safeParse(textIn(call, name) || absent);
  if (data === undefined) throw fault('Choose a role.');
  return data;
}

function signedOut(call: MemberCall): PageReply {
  const cookies = [cookie(call, 'session', '')];
  return seeOther(call, withNotice('/sign-in', 'left'), { headers: FORGET, cookies });
}

type Invited = Awaited<ReturnType<typeof invite>>;

function invitedPage(call: MemberCall, { role, code, expires_at: expiresAt }: Invited): Html {
  const scheme = call.isLocal ? 'http' : 'https';
  const link = `${scheme}://${call.headers.host ?? ''}${call.at('/join')}#${code}`;
  const main = html`<h1>Invitation</h1>
    <section class="card" aria-labelledby="link">
      <h2 id="link">A link for one ${role}</h2>
      <p>
        <strong>It is shown only once.</strong> Send it to the person you invite. It works once, until
        ${moment(expiresAt)}.
      </p>
      ${secretText(link, 'Copy the link')}
      <p><a class="button" href="${call.at('/members')}">Back to members</a></p>
    </section>`;
  return layout(call, { title: 'Invitation', main });
}
