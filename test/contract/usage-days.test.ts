import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EndReason } from '../../shared/contract/accounts/account.ts';
import { Kind } from '../../shared/contract/scrape/mode.ts';
import type { AccountEffects } from '../../shared/ports/accounts.ts';
import { inMemoryAccounts } from '../support/world/in-memory-accounts.ts';
import { emulatedWorld, type EmulatedWorld } from '../support/world/emulated-world.ts';
import { extent } from '../support/world/extent.ts';
import { ended, storedOrganization } from '../support/world/jobs.ts';
import { type Death, mortal } from '../support/world/mortal.ts';
import { usageLife } from '../support/life/usage-life.ts';

type Life = ReturnType<typeof usageLife>;
type Step = (life: Life) => Promise<unknown>;

/** Named, so that a counterexample is readable. */
const named = (name: string, run: Step) => Object.assign(run, { toString: () => name });
const say = (value: unknown) => JSON.stringify(value);

const deaths = fc.record<Death>({ call: fc.integer({ min: 1, max: 6 }), isDone: fc.boolean() });
const death = fc.option(deaths, { nil: undefined, freq: 1 });
const clock = fc.nat(2);
const scrape = fc.record({
  kind: fc.constantFrom(...Kind.options),
  reason: fc.constantFrom(...EndReason.options),
});

const begin = fc
  .tuple(clock, scrape, death)
  .map(([at, s, d]) => named(`begin ${say([at, s, d])}`, (life) => life.begin(at, s, d)));
const repeat = fc
  .tuple(clock, fc.constantFrom(...Kind.options))
  .map(([at, kind]) => named(`repeat ${say([at, kind])}`, (life) => life.repeat(at, kind)));
const end = fc.tuple(clock, death).map(([at, d]) => named(`end ${say([at, d])}`, (life) => life.end(at, d)));
const stall = fc.tuple(clock, deaths).map(([at, d]) =>
  named(`stall ${say([at, d])}`, (life) => {
    life.stall(at, d);
    return Promise.resolve();
  }),
);
const wake = fc.constant(named('wake', (life) => life.wake()));
const pass = fc.constantFrom(1, 4, 9, 60, 26 * 60, 40 * 24 * 60).map((minutes) =>
  named(`pass ${minutes}`, (life) => {
    life.pass(minutes);
    return Promise.resolve();
  }),
);
const single = fc.oneof(
  { weight: 5, arbitrary: begin },
  { weight: 5, arbitrary: end },
  { weight: 2, arbitrary: repeat },
  { weight: 4, arbitrary: pass },
  { weight: 1, arbitrary: stall },
  { weight: 1, arbitrary: wake },
);
const race = fc
  .array(fc.oneof(begin, repeat, end), { minLength: 2, maxLength: 4 })
  .map((all) =>
    named(`at once: ${all.map(String).join(', ')}`, (life) => Promise.all(all.map((run) => run(life)))),
  );
const story = fc.array(fc.oneof({ weight: 4, arbitrary: single }, { weight: 1, arbitrary: race }), {
  maxLength: 20,
});

async function live(start: (death?: Death) => AccountEffects, steps: Step[]): Promise<void> {
  const life = usageLife(start);
  for (const next of steps) {
    await next(life);
    await life.check();
  }
  await life.finish();
}

describe('after deaths, races and clocks that disagree around midnight', () => {
  let world: EmulatedWorld;
  beforeAll(async () => {
    world = await emulatedWorld();
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test('usage by day adds up in memory', { timeout: 60_000 }, async () => {
    const start = () => {
      const accounts = inMemoryAccounts();
      return (at?: Death) => mortal(accounts, at);
    };
    await fc.assert(
      fc.asyncProperty(story, (steps) => live(start(), steps)),
      { numRuns: extent(100, 300) },
    );
  });

  test('usage by day adds up on the emulator', { timeout: 240_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(story, (steps) => live(world.newAccounts, steps)),
      { numRuns: extent(4, 25), endOnFailure: true },
    );
  });
});

const organization = storedOrganization();
const at = (time: string) => new Date(`2026-${time}Z`);

async function scrapeOnce(accounts: AccountEffects, id: string, from: Date, to = from): Promise<void> {
  const slot = { id, until: new Date(to.getTime() + 60_000) };
  await accounts.usage.admit(organization, { bucket: 'scrape', credits: 1, slot }, from);
  await accounts.usage.settle(organization, { slotId: id, held: 1, ended: ended(1) }, to);
}

const ALL = ['2026-01-01', '2026-12-31'] as const;
const ONE = { plain_page: 1, plain_credits: 1 };

test('a finished day moves to the item of its month, and a quiet organization keeps its last', async () => {
  await using world = await emulatedWorld();
  await scrapeOnce(world, 'a', at('11-20T12:00:00'));
  await scrapeOnce(world, 'b', at('11-21T12:00:00'));
  const stored = await world.usage.read(organization, at('11-01T00:00:00'));
  expect(stored.credits.days).toEqual({ '2026-11-21': ONE });
  expect(await world.usage.days(organization, ...ALL)).toEqual({ '2026-11-20': ONE, '2026-11-21': ONE });
  expect(await world.usage.days(organization, '2026-11-21', '2026-11-21')).toEqual({ '2026-11-21': ONE });
});

test('a scrape over the turn of the month counts in the month that held its credits', async () => {
  await using world = await emulatedWorld();
  const slot = { id: 'over', until: at('12-01T00:10:00') };
  await world.usage.admit(organization, { credits: 1, slot }, at('11-30T23:59:59'));
  await scrapeOnce(world, 'new', at('12-01T00:00:01'));
  await world.usage.settle(organization, { slotId: 'over', held: 1, ended: ended(1) }, at('12-01T00:00:02'));
  expect(await world.usage.days(organization, ...ALL)).toEqual({ '2026-11-30': ONE, '2026-12-01': ONE });
  expect(await world.usage.read(organization, at('12-01T00:00:03'))).toMatchObject({ credits: { used: 1 } });
});

test('a day that only had reads leaves nothing behind', async () => {
  await using world = await emulatedWorld();
  for (const day of ['11-20', '11-21', '11-22', '11-23'])
    await world.usage.admit(organization, { bucket: 'read', credits: 0 }, at(`${day}T12:00:00`));
  const { credits } = await world.usage.read(organization, at('11-01T00:00:00'));
  expect(Object.keys(credits.days).length).toBeLessThanOrEqual(2);
  expect(await world.usage.days(organization, '2026-11-01', '2026-11-21')).toEqual({});
});

test('a settlement is one write, and the first scrape of a day makes five requests more', async () => {
  await using world = await emulatedWorld();
  const { calls } = world;
  await scrapeOnce(world, 'a', at('11-20T12:00:00'));
  const before = calls.length;
  await scrapeOnce(world, 'b', at('11-20T12:01:00'));
  expect(calls.slice(before)).toEqual(['UpdateItemCommand', 'UpdateItemCommand']);
  await scrapeOnce(world, 'c', at('11-21T12:00:00'));
  expect(calls.length - before - 2).toBe(2 + 5);
});
