import { expect, test } from 'vitest';
import { commands } from '../../infra/admin/commands.ts';
import { createOrganization } from '../../shared/use-cases/accounts/manage-organizations.ts';
import { newDashboard, PASSWORD } from '../support/world/visitor.ts';

const [ADA, GRACE] = ['ada@example.com', 'grace@example.com'];
const DAY_MS = 24 * 3_600_000;

type Link = { link: string };

/** A dashboard for invited people alone, with an organization and the operator's links to it. */
async function byInvitation(policy: 'invite' | 'closed' = 'invite') {
  const dashboard = newDashboard({ policy });
  const { world } = dashboard;
  const newOrganization = (name: string) =>
    createOrganization(world, { name, plan: 'starter', overrides: {}, mode: 'live' });
  const { org_id: orgId } = await newOrganization('Acme');
  const invite = async (to = orgId, role = 'admin') => {
    const fx = {
      ...world,
      dashboard: () => Promise.resolve({ people: world.people, url: 'https://account.example.com' }),
      stores: () => Promise.resolve([]),
      report: () => undefined,
    };
    return ((await commands['org invite']?.prepare({ role }, to)(fx)) as Link).link;
  };
  /** Joins with a new account. */
  const join = async (invitation: string, email: string) => {
    const visitor = dashboard.newVisitor();
    const sent = await visitor.submit('/join', { invitation, email, password: PASSWORD });
    if (sent.status !== 303) return { visitor, shown: sent };
    await visitor.submit('/confirm', { code: dashboard.codeOf(email) });
    return { visitor, shown: await visitor.signIn(email) };
  };
  return { ...dashboard, orgId, newOrganization, invite, join };
}

test('an invited person joins the organization in the invited role', async () => {
  const { world, orgId, invite, join } = await byInvitation();
  const { visitor, shown } = await join(await invite(orgId, 'developer'), ADA);
  expect(shown.location).toBe('/');
  expect((await visitor.get('/')).text).toContain('Acme');
  expect(await world.people.membersOf(orgId)).toMatchObject([{ email: ADA, role: 'developer', orgId }]);
  expect(await world.organizations.list()).toHaveLength(1);
});

test('the code alone, without the link around it, is enough', async () => {
  const { invite, join } = await byInvitation();
  expect((await join((await invite()).split('#')[1] ?? '', ADA)).shown.location).toBe('/');
});

test('an invitation works once, for seven days', async () => {
  const { world, invite, join } = await byInvitation();
  const link = await invite();
  await join(link, ADA);
  const again = (await join(link, GRACE)).shown;
  expect([again.status, again.text]).toEqual([
    422,
    expect.stringContaining('was used, has expired or never existed'),
  ]);
  const late = await invite();
  world.pass(7 * DAY_MS);
  expect((await join(late, GRACE)).shown.status).toBe(422);
  expect((await join('https://account.example.com/join#nothing', GRACE)).shown.status).toBe(422);
});

test('of two people who use one invitation at once, only one gets in', async () => {
  const { world, orgId, invite, newVisitor, codeOf } = await byInvitation();
  const invitation = await invite();
  const people = [ADA, GRACE].map((email) => ({ email, visitor: newVisitor() }));
  for (const { email, visitor } of people) {
    await visitor.submit('/join', { invitation, email, password: PASSWORD });
  }
  const entered = await Promise.all(
    people.map(({ email, visitor }) => visitor.submit('/confirm', { code: codeOf(email) })),
  );
  expect(entered.map(({ location }) => location).sort()).toEqual(['/', '/sign-in?notice=confirmed']);
  const late = people[entered.findIndex(({ location }) => location !== '/')];
  expect((await late?.visitor.signIn(late.email))?.text).toContain('This invitation was used');
  expect(await world.people.membersOf(orgId)).toHaveLength(1);
});

test('an account without an organization can take up an invitation later', async () => {
  const { world, orgId, invite, join, newVisitor } = await byInvitation();
  await join(await invite(), ADA);
  const [ada] = await world.people.membersOf(orgId);
  await world.people.remove(ada?.id ?? '');
  const visitor = newVisitor();
  expect((await visitor.signIn(ADA)).status).toBe(422);
  const known = { invitation: await invite(), email: ADA, password: PASSWORD, button: 'known' };
  expect((await visitor.submit('/join', known)).location).toBe('/');
  expect(await world.people.membersOf(orgId)).toMatchObject([{ email: ADA }]);
});

test('a member of one organization keeps it, and the invitation of another', async () => {
  const { world, invite, newOrganization, join, newVisitor } = await byInvitation();
  await join(await invite(), ADA);
  const { org_id: otherId } = await newOrganization('Other');
  const invitation = await invite(otherId);
  const known = { invitation, email: ADA, password: PASSWORD, button: 'known' };
  const refused = await newVisitor().submit('/join', known);
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('member of an organization')]);
  expect(await world.people.membersOf(otherId)).toEqual([]);
  expect((await join(invitation, GRACE)).shown.location).toBe('/');
});

test('without an invitation no one can sign up, and in a closed stage no one at all', async () => {
  const { newVisitor, world } = await byInvitation();
  const visitor = newVisitor();
  expect((await visitor.get('/sign-up')).text).toContain('by invitation');
  expect((await visitor.submit('/sign-up', { email: ADA, password: PASSWORD })).status).toBe(422);
  expect(world.identities.mails).toEqual([]);
  const closed = await byInvitation('closed');
  const { shown } = await closed.join(await closed.invite(), ADA);
  expect([shown.status, shown.text]).toEqual([422, expect.stringContaining('cannot be created here')]);
});

test('addresses of the named domains sign up, others do not', async () => {
  const { newVisitor } = newDashboard({ policy: { domains: ['example.com'] } });
  const signUp = async (email: string) =>
    (await newVisitor().submit('/sign-up', { email, password: PASSWORD })).status;
  expect(await signUp(ADA)).toBe(303);
  expect(await signUp('ada@example.com.evil.example')).toBe(422);
  expect(await signUp('ada@sub.example.com')).toBe(422);
});

test('the only admin among members cannot delete the account', async () => {
  const { orgId, invite, join } = await byInvitation();
  const { visitor: ada } = await join(await invite(), ADA);
  const { visitor: grace } = await join(await invite(orgId, 'developer'), GRACE);
  const refused = await ada.submit('/delete-account', { present: PASSWORD });
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('the only admin')]);
  expect((await grace.submit('/delete-account', { present: PASSWORD })).status).toBe(303);
  expect((await ada.submit('/delete-account', { present: PASSWORD })).status).toBe(303);
});
