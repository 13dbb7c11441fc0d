import { expect, test } from 'vitest';
import { linkIn, organization } from '../support/world/members.ts';
import { hidden, PASSWORD } from '../support/world/visitor.ts';

const [ADA, GRACE, ALAN] = ['ada@example.com', 'grace@example.com', 'alan@example.com'];
const DAY_MS = 24 * 3_600_000;

test('an invitation is a link shown once, by which one person joins within seven days', async () => {
  const { ada, world, invite, accept, roleOf } = await organization();
  const shown = await invite();
  const link = linkIn(shown.html);
  expect([shown.status, shown.text]).toEqual([200, expect.stringContaining('shown only once')]);
  expect((await ada.get('/members')).html).not.toContain(link.split('#')[1]);
  expect((await accept(link, GRACE)).shown.location).toBe('/');
  expect(await roleOf(GRACE)).toBe('developer');
  expect((await ada.get('/members')).text).toMatch(/ada you .* Admin, joined .* grace .* Developer, joined/);
  const used = (await accept(link, ALAN)).shown;
  expect([used.status, used.text]).toEqual([422, expect.stringContaining('was used, has expired')]);
  const late = linkIn((await invite(ada, 'admin')).html);
  world.pass(7 * DAY_MS);
  expect((await accept(late, ALAN)).shown.status).toBe(422);
});

test('an invitation of an admin makes an admin', async () => {
  const { newMember, roleOf, invite } = await organization();
  const grace = await newMember(GRACE, 'admin');
  expect(await roleOf(GRACE)).toBe('admin');
  expect(linkIn((await invite(grace)).html)).not.toBe('');
});

test('an invitation is made once by a form that is sent twice', async () => {
  const { ada } = await organization();
  const once = hidden((await ada.get('/members')).html, 'once');
  const answers = await Promise.all([1, 2].map(() => ada.submit('/members', { once })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  expect(answers.map(({ html }) => linkIn(html)).filter(Boolean)).toHaveLength(1);
});

test('an invitation to a role that does not exist is refused', async () => {
  const { ada, invite } = await organization();
  const { status, html } = await invite(ada, 'owner');
  expect([status, linkIn(html)]).toEqual([422, '']);
});

test('a role is changed by an admin, at once', async () => {
  const { ada, newMember, idOf, roleOf, invite } = await organization();
  const grace = await newMember(GRACE);
  const member = await idOf(GRACE);
  expect((await invite(grace)).status).toBe(422);
  expect((await ada.submit('/change-role', { member, role: 'admin' })).location).toBe('/members?notice=role');
  expect((await invite(grace)).status).toBe(200);
  await ada.submit('/change-role', { member, role: 'developer' });
  expect([await roleOf(GRACE), (await invite(grace)).status]).toEqual(['developer', 422]);
});

test('a role that does not exist changes nothing', async () => {
  const { ada, newMember, idOf, roleOf } = await organization();
  await newMember(GRACE);
  for (const role of ['', 'owner', '<b>'])
    expect((await ada.submit('/change-role', { member: await idOf(GRACE), role })).status).toBe(422);
  expect(await roleOf(GRACE)).toBe('developer');
});

test('a developer sees the members, and none of the forms for them', async () => {
  const { newMember } = await organization();
  const { text, html } = await (await newMember(GRACE)).get('/members');
  expect(text).toContain(ADA);
  expect(html).not.toMatch(/remove-member|change-role|action="[^"]*\/members"/);
});

test('a developer cannot change members by sending the forms anyway', async () => {
  const { newMember, idOf, roleOf } = await organization();
  const grace = await newMember(GRACE);
  const [member, self] = [await idOf(ADA), await idOf(GRACE)];
  for (const [path, fields] of [
    ['/members', { once: 'x' }],
    ['/change-role', { member: self, role: 'admin' }],
    ['/change-role', { member, role: 'developer' }],
    ['/remove-member', { member }],
  ] as [string, Record<string, string>][]) {
    const refused = await grace.submit(path, fields);
    expect([refused.status, refused.text], path).toEqual([422, expect.stringContaining('Only admins')]);
  }
  expect([await roleOf(ADA), await roleOf(GRACE)]).toEqual(['admin', 'developer']);
});

test('a member who is removed has no session, and gets no old one back after joining again', async () => {
  const { ada, newMember, idOf, invite, newVisitor, world } = await organization();
  const grace = await newMember(GRACE);
  const elsewhere = grace.copy();
  expect((await ada.submit('/remove-member', { member: await idOf(GRACE) })).location).toBe(
    '/members?notice=removed',
  );
  for (const each of [grace, elsewhere]) expect((await each.get('/keys')).location).toBe('/sign-in');
  world.pass(60_000);
  const invitation = linkIn((await invite()).html);
  const again = newVisitor();
  await again.submit('/join', { invitation, email: GRACE, password: PASSWORD, button: 'known' });
  expect((await again.get('/')).status).toBe(200);
  for (const each of [grace, elsewhere]) expect((await each.get('/')).location).toBe('/sign-in');
});

test('a member who is removed twice is gone once', async () => {
  const { ada, newMember, idOf } = await organization();
  await newMember(GRACE);
  const member = await idOf(GRACE);
  await ada.submit('/remove-member', { member });
  expect((await ada.submit('/remove-member', { member })).status).toBe(404);
});

test('a member of another organization can be neither seen, changed nor removed', async () => {
  const acme = await organization();
  const other = await organization(GRACE, acme);
  const member = await acme.idOf(ADA);
  expect((await other.ada.get('/members')).text).not.toContain(ADA);
  for (const path of ['/change-role', '/remove-member'])
    expect((await other.ada.submit(path, { member, role: 'developer' })).status).toBe(404);
  expect(await acme.roleOf(ADA)).toBe('admin');
});

test('the last admin can be neither demoted nor removed, and cannot leave', async () => {
  const { ada, newMember, idOf, roleOf } = await organization();
  await newMember(GRACE);
  const member = await idOf(ADA);
  for (const [path, fields] of [
    ['/change-role', { member, role: 'developer' }],
    ['/remove-member', { member }],
    ['/leave', {}],
  ] as [string, Record<string, string>][]) {
    const refused = await ada.submit(path, fields);
    expect([refused.status, refused.text], path).toEqual([422, expect.stringContaining('the only admin')]);
  }
  expect(await roleOf(ADA)).toBe('admin');
});

test.each([
  ['/change-role', { role: 'developer' }],
  ['/remove-member', {}],
] as const)('the last admin stays when two admins send %s about each other at once', async (path, fields) => {
  const { ada, newMember, idOf, roleOf } = await organization();
  const grace = await newMember(GRACE, 'admin');
  const [adaId, graceId] = [await idOf(ADA), await idOf(GRACE)];
  await Promise.all([
    ada.submit(path, { ...fields, member: graceId }),
    grace.submit(path, { ...fields, member: adaId }),
  ]);
  expect([await roleOf(ADA), await roleOf(GRACE)]).toContain('admin');
});

test('the last admin stays when both admins leave at once', async () => {
  const { ada, newMember, roleOf } = await organization();
  const grace = await newMember(GRACE, 'admin');
  await newMember(ALAN);
  await Promise.all([ada.submit('/leave'), grace.submit('/leave')]);
  expect([await roleOf(ADA), await roleOf(GRACE)]).toContain('admin');
});

test('leaving ends the sessions, and the account can take up another invitation', async () => {
  const { ada, newMember, invite, roleOf, newVisitor } = await organization();
  const grace = await newMember(GRACE);
  expect((await grace.submit('/leave')).location).toBe('/sign-in?notice=left');
  expect((await grace.get('/')).location).toBe('/sign-in');
  expect(await roleOf(GRACE)).toBeUndefined();
  const invitation = linkIn((await invite(ada)).html);
  const known = { invitation, email: GRACE, password: PASSWORD, button: 'known' };
  expect((await newVisitor().submit('/join', known)).location).toBe('/');
});

test('leaving is not for the only member, who deletes the account instead', async () => {
  const { ada, roleOf } = await organization();
  expect((await ada.get('/members')).html).not.toContain('/leave');
  const refused = await ada.submit('/leave');
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('the only member')]);
  expect(await roleOf(ADA)).toBe('admin');
});
