import { AppError } from '../../../shared/errors.ts';
import { assertAdmin } from '../../../shared/use-cases/people/lock-members.ts';
import {
  invite,
  type ListedInvitation,
  listInvitations,
  withdrawInvitation,
} from '../../../shared/use-cases/people/manage-invitations.ts';
import { listMembers } from '../../../shared/use-cases/people/manage-members.ts';
import { fault, idIn, textIn } from '../answered.ts';
import type { MemberCall } from '../page-call.ts';
import { htmlReply, seeOther } from '../replies.ts';
import type { Needs, Pages } from '../needs.ts';
import { html, type Html } from '../html.ts';
import { askPage } from '../views/ask-page.ts';
import { layout } from '../views/layout.ts';
import { makerName, roleNames } from '../views/members-page.ts';
import { moment } from '../views/moment.ts';
import { withNotice } from '../views/notices.ts';
import { secretText } from '../views/secret-text.ts';
import { onMembersPage, roleIn } from './members.ts';
import { addMs, DAY_MS } from '../../../shared/time/units.ts';

const SENT_TWICE = 'This form was already sent, and its link was shown then. Create another.';

/** The forms for invitations on the page of the members. */
export function invitationsPages(
  fx: Needs,
): Pick<Pages, 'inviteMember' | 'showWithdrawal' | 'withdrawInvitation'> {
  return {
    inviteMember: (call) =>
      onMembersPage(fx, call, async () => {
        await assertAdmin(fx, call.person);
        const once = `${call.person.id} ${textIn(call, 'once').slice(0, 64)}`;
        if (!(await fx.sessions.claimForm(once, addMs(fx.now(), DAY_MS)))) throw fault(SENT_TWICE);
        const { id, email, orgId } = call.person;
        const wanted = { orgId, role: roleIn(call, 'button', 'developer') };
        const invitation = await invite(fx, { ...wanted, maker: { kind: 'member', id, email } });
        return htmlReply(invitedPage(call, invitation));
      }),
    showWithdrawal: (call) =>
      onMembersPage(fx, call, async () => {
        await assertAdmin(fx, call.person);
        const { orgId } = call.person;
        const open = await listInvitations(fx, orgId, await listMembers(fx, orgId));
        const found = open.find(({ hash }) => hash === idIn(call, 'invitation'));
        if (found === undefined)
          throw new AppError('not_found', { message: 'There is no such invitation here.' });
        return htmlReply(withdrawalPage(call, found));
      }),
    withdrawInvitation: (call) =>
      onMembersPage(fx, call, async () => {
        await withdrawInvitation(fx, call.person, textIn(call, 'invitation'));
        return seeOther(call, withNotice('/members', 'withdrawn'));
      }),
  };
}

function withdrawalPage(
  call: MemberCall,
  { hash, role, maker, createdAt, expiresAt }: ListedInvitation,
): Html {
  return askPage(call, {
    title: 'Withdraw this invitation?',
    about: `${roleNames[role]}, by ${makerName(maker)}`,
    facts: [
      ['Made', moment(createdAt)],
      ['Expires', moment(expiresAt)],
    ],
    effect: 'Its link stops working at once. This cannot be undone, but you can invite the person again.',
    form: { action: '/withdraw-invitation', hidden: { invitation: hash }, submit: 'Withdraw the invitation' },
    back: { path: '/members', label: 'Back to members' },
  });
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
