import { describe, expect, test } from 'vitest';
import { hashSecret } from '../../shared/domain/people/secret.ts';
import { enterOrganization } from '../../shared/use-cases/people/enter-organization.ts';
import { removeMember } from '../../shared/use-cases/people/manage-members.ts';
import { linkIn, organization } from '../support/world/members.ts';
import { mortal } from '../support/world/mortal.ts';
import { hidden, PASSWORD } from '../support/world/visitor.ts';

const [ADA, GRACE, ALAN] = ['ada@example.com', 'grace@example.com', 'alan@example.com'];
const MINUTE_MS = 60_000;

type Acme = Awaited<ReturnType<typeof organization>>;

/** Ada's organization with Grace as a second admin, and links that Grace made. */
async function withGrace() {
  const acme = await organization();
  const grace = await acme.newMember(GRACE, 'admin');
  const link = async (role: string) => linkIn((await acme.invite(grace, role)).html);
  const links = [await link('admin'), await link('developer')] as const;
  acme.world.pass(MINUTE_MS);
  const member = await acme.idOf(GRACE);
  return { ...acme, grace, member, links };
}

const known = (invitation: string) => ({ invitation, email: GRACE, password: PASSWORD, button: 'known' });

const hashOf = (link: string) => hashSecret(link.split('#')[1] ?? '') ?? '';

type Ended = Awaited<ReturnType<typeof withGrace>>;

const ends: [string, (it: Ended) => Promise<unknown>][] = [
  ['is removed', ({ ada, member }) => ada.submit('/remove-member', { member })],
  ['leaves', ({ grace }) => grace.submit('/leave')],
  ['deletes the account', ({ grace }) => grace.submit('/delete-account', { present: PASSWORD })],
  ['becomes a developer', ({ ada, member }) => ada.submit('/change-role', { member, role: 'developer' })],
];

describe.each(ends)('when an admin %s', (_, end) => {
  test('invitations that they made let nobody in, and are no longer listed', async () => {
    const acme = await withGrace();
    expect((await acme.ada.get('/members')).text).toContain(`Admin, by ${GRACE}`);
    await end(acme);
    for (const link of acme.links) {
      const { shown } = await acme.accept(link, ALAN);
      expect([shown.status, shown.text]).toEqual([422, expect.stringContaining('no longer an admin')]);
      expect((await acme.newVisitor().submit('/join', known(link))).status).toBe(422);
    }
    expect((await acme.ada.get('/members')).text).not.toContain('Open invitations');
    expect(await acme.roleOf(ALAN)).toBeUndefined();
  });

  test('a sign-up that began with such an invitation earlier enters nothing', async () => {
    const acme = await withGrace();
    const alan = acme.newVisitor();
    await alan.submit('/join', { invitation: acme.links[0], email: ALAN, password: PASSWORD });
    await end(acme);
    await alan.submit('/confirm', { code: acme.codeOf(ALAN) });
    const refused = await alan.signIn(ALAN);
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('This invitation')]);
    expect(await acme.roleOf(ALAN)).toBeUndefined();
    // Without the invitation, the address founds an organization as any other may.
    expect((await alan.signIn(ALAN)).text).toContain('Your API key');
    expect((await acme.found(ALAN))?.orgId).not.toBe((await acme.found(ADA))?.orgId);
  });

  test('nobody who joined by such an invitation before loses the place', async () => {
    const acme = await withGrace();
    await acme.accept(acme.links[1], ALAN);
    await end(acme);
    expect(await acme.roleOf(ALAN)).toBe('developer');
    expect((await acme.ada.get('/members')).text).toContain(`by an invitation of ${GRACE}`);
  });
});

test('invitations of a former admin stay void when that person is an admin again', async () => {
  const acme = await withGrace();
  const { ada, member, links, world } = acme;
  await ada.submit('/change-role', { member, role: 'developer' });
  world.pass(MINUTE_MS);
  await ada.submit('/change-role', { member, role: 'admin' });
  expect((await acme.accept(links[0], ALAN)).shown.status).toBe(422);
  const made = linkIn((await acme.invite(acme.grace)).html);
  world.pass(MINUTE_MS);
  // The same role again changes nothing.
  await ada.submit('/change-role', { member, role: 'admin' });
  expect((await acme.accept(made, ALAN)).shown.location).toBe('/');
});

test('an invitation made at the moment of the demotion lets nobody in', async () => {
  const { ada, grace, member, world, invite, accept } = await withGrace();
  const { saveInvitation } = world.people;
  world.people.saveInvitation = async (hash, invitation) => {
    await ada.submit('/change-role', { member, role: 'developer' });
    await saveInvitation(hash, { ...invitation, createdAt: world.now() });
  };
  const late = linkIn((await invite(grace)).html);
  expect((await accept(late, ALAN)).shown.status).toBe(422);
});

test('a removed member gets no place back by the sign-up that led to it', async () => {
  const acme = await organization();
  const link = linkIn((await acme.invite()).html);
  const grace = acme.newVisitor();
  await grace.submit('/join', { invitation: link, email: GRACE, password: PASSWORD });
  const early = grace.copy();
  await grace.submit('/confirm', { code: acme.codeOf(GRACE) });
  await grace.signIn(GRACE);
  await acme.ada.submit('/remove-member', { member: await acme.idOf(GRACE) });
  expect((await early.signIn(GRACE)).status).toBe(422);
  expect((await acme.newVisitor().submit('/join', known(link))).status).toBe(422);
  expect(await acme.roleOf(GRACE)).toBeUndefined();
});

test('an open invitation is listed for admins, and withdrawn by one of them', async () => {
  const { ada, grace, links, accept } = await withGrace();
  const shown = await ada.get('/members');
  expect(shown.text).toMatch(/Open invitations .* Developer, by grace.* Made .* expires /);
  expect(shown.html).not.toContain(links[0].split('#')[1]);
  const question = await ada.get(`/withdraw-invitation?invitation=${hashOf(links[0])}`);
  expect(question.text).toMatch(/Withdraw this invitation\? Admin, by grace.* stops working at once/);
  const invitation = hidden(question.html, 'invitation');
  const withdrawn = await ada.submit('/withdraw-invitation', { invitation });
  expect(withdrawn.location).toBe('/members?notice=withdrawn');
  expect((await accept(links[0], ALAN)).shown.status).toBe(422);
  expect((await ada.submit('/withdraw-invitation', { invitation })).status).toBe(404);
  expect((await ada.get(`/withdraw-invitation?invitation=${invitation}`)).status).toBe(404);
  expect((await grace.get('/members')).text).not.toContain('Admin, by grace');
  expect((await accept(links[1], ALAN)).shown.location).toBe('/');
  const used = await ada.submit('/withdraw-invitation', { invitation: hashOf(links[1]) });
  expect([used.status, used.text]).toEqual([422, expect.stringContaining('was used')]);
});

test('an open invitation can be neither seen nor withdrawn by developers and other organizations', async () => {
  const { newMember, newVisitor, links, accept } = await withGrace();
  const alan = await newMember(ALAN);
  expect((await alan.get('/members')).text).not.toContain('Open invitations');
  const other = newVisitor();
  await other.join('eve@example.com');
  const invitation = hashOf(links[0]);
  const question = `/withdraw-invitation?invitation=${invitation}`;
  expect((await alan.get(question)).status).toBe(422);
  expect((await other.get(question)).status).toBe(404);
  expect((await alan.submit('/withdraw-invitation', { invitation })).status).toBe(422);
  expect((await other.submit('/withdraw-invitation', { invitation })).status).toBe(404);
  expect((await accept(links[0], 'joan@example.com')).shown.location).toBe('/');
});

const active = async ({ world, found }: Acme) => {
  const keys = await world.keys.list((await found(ADA))?.orgId ?? '');
  return keys.filter(({ status }) => status === 'active').map(({ name }) => name);
};

test('the keys of a member stay after removal unless the admin revokes them, and name who made them', async () => {
  const acme = await withGrace();
  const { ada, grace, member } = acme;
  await grace.newKey('nightly');
  const asked = await ada.get(`/remove-member?member=${member}`);
  expect(asked.text).toMatch(/Remove grace\? .* Keys belong to the organization.*nightly .*Revoke 1 key/);
  await ada.submit('/remove-member', { member });
  expect(await active(acme)).toEqual(expect.arrayContaining(['first', 'nightly']));
  expect((await ada.get('/keys')).text).toContain(`by ${GRACE}, who is no longer a member`);
});

test.each([
  ['removal', ({ ada, member }: Ended, keys: string) => ada.submit('/remove-member', { member, keys })],
  ['leaving', ({ grace }: Ended, keys: string) => grace.submit('/leave', { keys })],
  [
    'deleting the account',
    ({ grace }: Ended, keys: string) => grace.submit('/delete-account', { present: PASSWORD, keys }),
  ],
])('the keys of a member end with %s if that is chosen, and nobody else loses one', async (__, end) => {
  const acme = await withGrace();
  await acme.grace.newKey('nightly');
  await end(acme, 'revoked');
  expect(await active(acme)).toEqual(['first']);
});

test('the keys of a member are revoked by the form alone: a developer or a stranger has no such choice', async () => {
  const { newMember, newVisitor, member } = await withGrace();
  expect((await (await newMember(ALAN)).get(`/remove-member?member=${member}`)).status).toBe(422);
  const other = newVisitor();
  await other.join('eve@example.com');
  expect((await other.get(`/remove-member?member=${member}`)).status).toBe(404);
});

test('the keys of a member cannot be created at the moment of the removal', async () => {
  const acme = await withGrace();
  const { grace, ada, member, world } = acme;
  const once = hidden((await grace.get('/keys')).html, 'once');
  const { save } = world.keys;
  world.keys.save = async (key) => {
    world.keys.save = save;
    await ada.submit('/remove-member', { member });
    await save(key);
  };
  const { status, html } = await grace.submit('/keys', { name: 'late', once });
  expect([status, html]).toEqual([404, expect.not.stringMatching(/sf_live_\w{12}_/)]);
  expect(await active(acme)).toEqual(['first']);
});

/** Alan joins by Grace's link, and Ada removes Grace before or after the n-th call of that. */
async function removalDuringJoin(moment: { call: number; isDone: boolean }) {
  const { world, found, member, links, roleOf, codeOf, newVisitor } = await withGrace();
  const alan = newVisitor();
  await alan.submit('/join', { invitation: links[0], email: ALAN, password: PASSWORD });
  const [signedIn, admin] = [await world.identities.signIn(ALAN, PASSWORD), await found(ADA)];
  if (admin === undefined || !('userId' in signedIn)) throw new Error('There is no admin, or no account.');
  // The page of the code would join too.
  await world.identities.confirm(signedIn.userId, codeOf(ALAN));
  let seen: string | undefined = 'never';
  const stall = async () => {
    // Refused while the join holds the lock.
    const isRemoved = await removeMember(world, admin, member, { keys: 'stay' }).then(
      () => true,
      () => false,
    );
    seen = isRemoved ? await roleOf(ALAN) : 'refused';
  };
  const entering = {
    userId: signedIn.userId,
    email: ALAN,
    policy: 'open',
    invitation: hashOf(links[0]),
  } as const;
  await enterOrganization(mortal(world, { ...moment, stall }), entering).catch(() => undefined);
  return { seen, role: await roleOf(ALAN) };
}

test('a removal at any moment of a join by an invitation of that member comes before it or after it', async () => {
  for (const isDone of [false, true])
    for (let call = 1; ; call += 1) {
      const { seen, role } = await removalDuringJoin({ call, isDone });
      // So many calls a join has.
      if (seen === 'never') expect(call).toBeGreaterThan(8);
      if (seen === 'never') break;
      expect(call).toBeLessThan(30);
      // Once the removal is done, nobody joins any more.
      expect([call, role]).toEqual([call, seen === 'refused' ? 'admin' : seen]);
    }
});
