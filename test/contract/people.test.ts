import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import type { Invitation, Person, Session } from '../../shared/contract/people/person.ts';
import type { RateLimit } from '../../shared/domain/accounts/credits/rate-limit.ts';
import { emulatedWorld } from '../support/world/emulated-world.ts';
import { NOON } from '../support/world/jobs.ts';
import { describePorts } from '../support/world/ports.ts';

const MINUTE_MS = 60_000;
const later = (ms: number) => new Date(NOON.getTime() + ms);

function person(more: Partial<Person> = {}): Person {
  const id = v7();
  const email = `${id}@example.com`;
  return { id, orgId: 'org_1', email, name: 'Ada', role: 'admin', generation: 0, createdAt: NOON, ...more };
}

describePorts('people', (ports) => {
  const people = () => ports().people;

  test('add a user once', async () => {
    const ada = person();
    const added = await Promise.all([people().add(ada), people().add({ ...ada, orgId: 'org_2' })]);
    expect(added.filter(Boolean)).toHaveLength(1);
    expect((await people().find(ada.id))?.name).toBe('Ada');
    expect(await people().find('nobody')).toBeUndefined();
  });

  test('rename and remove a user, and ignore an unknown user', async () => {
    const ada = person();
    await people().add(ada);
    await people().rename(ada.id, 'Grace');
    expect(await people().find(ada.id)).toEqual({ ...ada, name: 'Grace' });
    await people().remove(ada.id);
    await people().rename(ada.id, 'Ghost');
    await people().remove(ada.id);
    expect(await people().find(ada.id)).toBeUndefined();
    expect(await people().endSessions(ada.id)).toBeUndefined();
  });

  test('list the members of one organization', async () => {
    const orgId = `org_${v7()}`;
    const [ada, grace] = [person({ orgId }), person({ orgId, role: 'developer' })];
    for (const each of [ada, grace, person()]) await people().add(each);
    const members = await people().membersOf(orgId);
    expect(members.map(({ id }) => id).sort()).toEqual([ada.id, grace.id].sort());
  });

  test('change the role of a member, and ignore an unknown member', async () => {
    const ada = person();
    await people().add(ada);
    await people().changeRole(ada.id, 'developer', NOON);
    expect(await people().find(ada.id)).toEqual({ ...ada, role: 'developer', roleSince: NOON });
    const nobody = v7();
    await people().changeRole(nobody, 'admin', NOON);
    expect(await people().find(nobody)).toBeUndefined();
  });

  test('let one holder at a time lock the members of an organization, until it ends', async () => {
    const orgId = `org_${v7()}`;
    const until = later(MINUTE_MS);
    const taken = await Promise.all(['a', 'b', 'c'].map((each) => people().lock(orgId, each, until, NOON)));
    expect(taken.filter(Boolean)).toHaveLength(1);
    const holder = ['a', 'b', 'c'][taken.indexOf(true)] ?? '';
    await people().unlock(orgId, 'somebody else');
    expect(await people().lock(orgId, 'd', until, later(MINUTE_MS - 1))).toBe(false);
    expect(await people().lock(`org_${v7()}`, 'd', until, NOON)).toBe(true);
    await people().unlock(orgId, holder);
    expect(await people().lock(orgId, 'd', until, NOON)).toBe(true);
    expect(await people().lock(orgId, 'e', later(2 * MINUTE_MS), until)).toBe(true);
  });

  test('begin a new generation of sessions', async () => {
    const ada = person();
    await people().add(ada);
    expect(await people().endSessions(ada.id)).toEqual({ ...ada, generation: 1 });
  });

  const invitation: Invitation = {
    orgId: 'org_1',
    role: 'developer',
    maker: { kind: 'member', id: 'ada', email: 'ada@example.com' },
    createdAt: NOON,
    expiresAt: later(MINUTE_MS),
  };

  test('list and remove the invitations of one organization', async () => {
    const orgId = `org_${v7()}`;
    const [first, second] = [v7(), v7()];
    const own = { ...invitation, orgId };
    await people().saveInvitation(first, own);
    await people().saveInvitation(second, { ...own, maker: { kind: 'operator' } });
    await people().saveInvitation(v7(), { ...own, orgId: `org_${v7()}` });
    await people().add(person({ orgId }));
    expect(await people().invitationsOf(orgId)).toEqual(
      new Map([
        [first, own],
        [second, { ...own, maker: { kind: 'operator' } }],
      ]),
    );
    expect(await people().removeInvitation(`org_${v7()}`, first)).toBe(false);
    expect(await people().removeInvitation(orgId, first)).toBe(true);
    expect(await people().removeInvitation(orgId, first)).toBe(false);
    expect([...(await people().invitationsOf(orgId)).keys()]).toEqual([second]);
    expect(await people().takeInvitation(first, 'a', NOON)).toBe(false);
  });

  test('let one of several users take an invitation, and that one again', async () => {
    const hash = v7();
    await people().saveInvitation(hash, invitation);
    const users = ['a', 'b', 'c'];
    const taken = await Promise.all(users.map((user) => people().takeInvitation(hash, user, NOON)));
    expect(taken.filter(Boolean)).toHaveLength(1);
    const again = await Promise.all(users.map((user) => people().takeInvitation(hash, user, NOON)));
    expect(again).toEqual(taken);
    expect((await people().findInvitation(hash, NOON))?.takenBy).toBe(users[taken.indexOf(true)]);
  });

  test('refuse an invitation that has expired or never existed', async () => {
    const hash = v7();
    await people().saveInvitation(hash, invitation);
    expect(await people().findInvitation(hash, later(MINUTE_MS - 1))).toEqual(invitation);
    expect(await people().findInvitation(hash, later(MINUTE_MS))).toBeUndefined();
    expect(await people().takeInvitation(hash, 'a', later(MINUTE_MS))).toBe(false);
    expect(await people().takeInvitation(v7(), 'a', NOON)).toBe(false);
  });
});

describePorts('sessions, sign-ups and rate limits', (ports) => {
  const sessions = () => ports().sessions;
  const take = (bucket: string, of: RateLimit, now: Date) => ports().rateLimits.take(bucket, of, now);
  const session: Session = {
    userId: 'a',
    generation: 0,
    createdAt: NOON,
    seenAt: NOON,
    expiresAt: later(MINUTE_MS),
  };

  test('keep a session until it ends, and note no request of an ended one', async () => {
    const hash = v7();
    await sessions().save(hash, session);
    await sessions().touch(hash, later(5));
    expect(await sessions().find(hash)).toEqual({ ...session, seenAt: later(5) });
    await sessions().end(hash);
    await sessions().touch(hash, later(10));
    await sessions().end(hash);
    expect(await sessions().find(hash)).toBeUndefined();
  });

  test('keep what a browser has begun until it expires', async () => {
    const hash = v7();
    const visit = { email: 'ada@example.com', userId: 'a', expiresAt: later(MINUTE_MS) };
    await ports().signUps.save(hash, visit);
    expect(await ports().signUps.find(hash, NOON)).toEqual(visit);
    expect(await ports().signUps.find(hash, later(MINUTE_MS))).toBeUndefined();
    expect(await ports().signUps.find(v7(), NOON)).toBeUndefined();
  });

  test('claim a form once', async () => {
    const id = v7();
    const claimed = await Promise.all([1, 2, 3].map(() => sessions().claimForm(id, later(MINUTE_MS))));
    expect(claimed.filter(Boolean)).toHaveLength(1);
  });

  const rate = { limit: 5, windowMs: 5 * MINUTE_MS };

  test('give as many places in a bucket as its limit, then one each interval', async () => {
    const bucket = v7();
    const waits = await Promise.all(Array.from({ length: 12 }, () => take(bucket, rate, NOON)));
    expect(waits.filter((seconds) => seconds === 0)).toHaveLength(5);
    expect(waits.filter((seconds) => seconds === 60)).toHaveLength(7);
    expect(await take(bucket, rate, later(MINUTE_MS - 1_000))).toBe(1);
    expect(await take(bucket, rate, later(MINUTE_MS))).toBe(0);
    expect(await take(bucket, rate, later(MINUTE_MS))).toBe(60);
  });

  test('fill a bucket again while it is idle, and keep buckets apart', async () => {
    const bucket = v7();
    for (let i = 0; i < 5; i += 1) await take(bucket, rate, NOON);
    expect(await take(v7(), rate, NOON)).toBe(0);
    const idle = later(60 * MINUTE_MS);
    for (let i = 0; i < 5; i += 1) expect(await take(bucket, rate, idle)).toBe(0);
    expect(await take(bucket, rate, idle)).toBe(60);
  });
});

test('a browser leaves one item for each bucket and form, however often it tries, and all expire', async () => {
  await using world = await emulatedWorld();
  const rate = { limit: 5, windowMs: 5 * MINUTE_MS };
  await world.rateLimits.take('once', rate, NOON);
  for (let i = 0; i < 40; i += 1) await world.rateLimits.take(`often-${i % 2}`, rate, later(i));
  for (let i = 0; i < 5; i += 1) await world.sessions.claimForm('form', later(MINUTE_MS));
  const items = await world.identityItems();
  expect(items.map(({ pk }) => String(pk)).sort()).toEqual([
    'BUCKET#often-0',
    'BUCKET#often-1',
    'BUCKET#once',
    'FORM#form',
  ]);
  for (const { pk, expires_at: expiresAt } of items) {
    const ms = Number(expiresAt) * 1_000 - NOON.getTime();
    expect([pk, ms > 0 && ms <= 11 * MINUTE_MS]).toEqual([pk, true]);
  }
});
