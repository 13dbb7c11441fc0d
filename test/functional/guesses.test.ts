import { expect, test } from 'vitest';
import { extent } from '../support/world/extent.ts';
import { newDashboard, PASSWORD, type Shown } from '../support/world/visitor.ts';

const GUESSES = extent(3_000, 10_000);
const CONCURRENCY = 100;
const OWNER = 'ada@example.com';
const [NETWORKS, STRANGERS] = [80, 10];
const MINUTE_MS = 60_000;

/** Every second guess is of the owner's password. A network of IPv6 has many addresses. */
const guessOf = (n: number) => ({
  email: n % 2 === 0 ? OWNER : `user-${n % (2 * STRANGERS)}@example.com`,
  network: n % NETWORKS,
  address: n % NETWORKS < 40 ? `198.51.100.${n % NETWORKS}` : `2001:db8:0:${n % NETWORKS}::${n.toString(16)}`,
});

/** As many as a bucket holds, and one more each time that a place is free again. */
const most = (limit: number, ms: number) => limit + Math.ceil((ms * limit) / (15 * MINUTE_MS)) + 1;

/** How many passwords were checked for each of these names. */
function countBy(tried: readonly ReturnType<typeof guessOf>[], name: 'email' | 'network'): number[] {
  return [...Map.groupBy(tried, (guess) => guess[name]).values()].map(({ length }) => length);
}

test(`${GUESSES} guesses sign nobody in, and the owner waits for a minute and a half`, async () => {
  const { world, newVisitor } = newDashboard();
  await newVisitor().join(OWNER);
  world.pass(15 * MINUTE_MS);
  const [startedAt, storedBefore] = [world.now().getTime(), world.storedVisits()];
  const attacker = newVisitor();
  const answers: { guess: ReturnType<typeof guessOf>; shown: Shown }[] = [];
  for (let n = 0; n < GUESSES; n += CONCURRENCY) {
    const wave = Array.from({ length: CONCURRENCY }, async (_, i) => {
      const guess = guessOf(n + i);
      const fields = { email: guess.email, password: `guess number ${n + i}` };
      return { guess, shown: await attacker.copy().submit('/sign-in', fields, { address: guess.address }) };
    });
    answers.push(...(await Promise.all(wave)));
  }
  const took = world.now().getTime() - startedAt;

  const tried = answers.filter(({ shown }) => shown.status === 422).map(({ guess }) => guess);
  const throttled = answers.filter(({ shown }) => shown.status === 429).map(({ shown }) => shown);
  expect(tried.length + throttled.length).toBe(GUESSES);
  expect(answers.flatMap(({ shown }) => shown.cookies)).toEqual([]);
  expect(Math.max(...countBy(tried, 'email'))).toBeLessThanOrEqual(most(10, took));
  expect(Math.max(...countBy(tried, 'network'))).toBeLessThanOrEqual(most(30, took));
  for (const { headers, text } of throttled) {
    expect(text).toContain('Too many attempts. Try again in');
    expect(Number(headers['Retry-After'])).toBeGreaterThanOrEqual(1);
    expect(Number(headers['Retry-After'])).toBeLessThanOrEqual(15 * 60);
  }
  // A bucket for each network and each address, however many guesses there are.
  expect(world.storedVisits() - storedBefore).toBeLessThanOrEqual(NETWORKS + STRANGERS + 1);

  const owner = newVisitor();
  const early = await owner.signIn(OWNER);
  expect(early.status).toBe(429);
  const wait = Number(early.headers['Retry-After']);
  expect(wait).toBeLessThanOrEqual(90);
  world.pass(wait * 1_000);
  expect((await owner.signIn(OWNER)).location).toBe('/');
});

test('the right password is not checked once a network has used up its guesses', async () => {
  const { world, newVisitor } = newDashboard();
  await newVisitor().join(OWNER);
  const attacker = newVisitor();
  const guess = (n: number) => attacker.signIn(`user-${n}@example.com`, 'a wrong password');
  let tried = 0;
  while ((await guess(tried)).status !== 429) tried += 1;
  expect(tried).toBeGreaterThanOrEqual(30);
  const startedAt = world.now().getTime();
  const { status, cookies } = await attacker.signIn(OWNER, PASSWORD);
  expect([status, cookies, world.now().getTime() - startedAt]).toEqual([429, [], 0]);
  expect((await newVisitor().signIn(OWNER)).location).toBe('/');
});
