import { inMemoryAccounts } from '../support/world/in-memory-accounts.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emulatedWorld, type EmulatedWorld } from '../support/world/emulated-world.ts';
import { inMemoryChunks, inMemoryUploads } from '../support/world/in-memory-uploads.ts';
import { inMemoryBatches } from '../support/world/in-memory-batches.ts';
import { inMemoryCrawls, inMemoryTargetHosts } from '../support/world/in-memory-crawls.ts';
import { extent } from '../support/world/extent.ts';
import { inMemoryJobs, inMemoryResults } from '../support/world/in-memory-world.ts';
import { inMemoryDeliveries, inMemoryWebhooks } from '../support/world/in-memory-webhooks.ts';
import { jobLife, type Storage, targetNames } from '../support/life/job-life.ts';
import { atEveryCall, type Death } from '../support/world/mortal.ts';

type Life = ReturnType<typeof jobLife>;
type Step = (life: Life) => Promise<unknown>;

const GRANTED = 40;

const death = fc.option(fc.record<Death>({ call: fc.integer({ min: 1, max: 18 }), isDone: fc.boolean() }), {
  nil: undefined,
  freq: 1,
});
const pick = fc.nat(30);
const idAt = (life: Life, at: number) => life.ids()[at % Math.max(1, life.ids().length)] ?? NOBODY;
const NOBODY = '00000000-0000-7000-8000-000000000000';

/** Named, so that a counterexample is readable. */
function step(name: string, run: Step) {
  return Object.assign(run, { toString: () => name });
}

const wish = fc.record({
  target: fc.constantFrom(...targetNames),
  renderJs: fc.boolean(),
  key: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
});
const say = (value: unknown) => JSON.stringify(value);

const steps = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(wish, death).map(([w, d]) => step(`submit ${say([w, d])}`, (l) => l.submit(w, d))),
  },
  {
    weight: 6,
    arbitrary: fc
      .tuple(pick, death)
      .map(([at, d]) => step(`deliver ${say([at, d])}`, (l) => l.deliver(idAt(l, at), d))),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(pick, death, death)
      .map(([at, a, b]) =>
        step(`deliver twice ${say([at, a, b])}`, (l) =>
          Promise.all([l.deliver(idAt(l, at), a), l.deliver(idAt(l, at), b)]),
        ),
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(pick, death, death)
      .map(([at, a, b]) =>
        step(`deliver beside a sweep ${say([at, a, b])}`, (l) =>
          Promise.all([l.deliver(idAt(l, at), a), l.sweep(b)]),
        ),
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(pick, fc.integer({ min: 1, max: 18 }), fc.boolean())
      .map(([at, call, isDone]) =>
        step(`stall ${say([at, call, isDone])}`, (l) => l.stall(idAt(l, at), { call, isDone })),
      ),
  },
  { weight: 2, arbitrary: death.map((d) => step(`backlog ${say(d)}`, (l) => l.workOnBacklog(d))) },
  { weight: 2, arbitrary: fc.constant(step('wake', (l) => l.wake())) },
  { weight: 2, arbitrary: death.map((d) => step(`sweep ${say(d)}`, (l) => l.sweep(d))) },
  {
    weight: 1,
    arbitrary: fc.tuple(pick, death).map(([at, d]) => step(`bury ${at}`, (l) => l.bury(idAt(l, at), d))),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(1_000, 6_000, 31_000, 61_000, 300_000, 901_000).map((ms) =>
      step(`pass ${ms}`, (l) => {
        l.pass(ms);
        return Promise.resolve();
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.boolean().map((on) => step(`key ${on}`, (l) => l.setKey(on ? 'active' : 'revoked'))),
  },
);

async function live(storage: Storage, story: Step[]): Promise<void> {
  const life = jobLife(storage, GRANTED);
  for (const next of story) {
    await next(life);
    await life.check();
  }
  await life.end();
}

function inMemory(): Storage {
  return {
    ...inMemoryAccounts(),
    chunks: inMemoryChunks(),
    uploads: inMemoryUploads(),
    batches: inMemoryBatches(),
    crawls: inMemoryCrawls(),
    targetHosts: inMemoryTargetHosts(),
    jobs: inMemoryJobs(),
    results: inMemoryResults(),
    webhooks: inMemoryWebhooks(),
    deliveries: inMemoryDeliveries(),
  };
}

let world: EmulatedWorld;
beforeAll(async () => {
  world = await emulatedWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

test('after random deaths and repetitions jobs end correctly in memory', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 25 }), (story) => live(inMemory(), story)),
    { numRuns: extent(100, 1_000) },
  );
});

test(
  'after random deaths and repetitions jobs end correctly on the emulators',
  { timeout: 120_000, tags: ['soak'] },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 3, maxLength: 15 }), (story) => live(world, story)),
      { numRuns: extent(2, 20), endOnFailure: true },
    );
  },
);

/** Before or after the effect of each call in turn; in the soak both. */
const deaths = Array.from({ length: 20 }, (_, at) => {
  const both = [at % 2 === 0, at % 2 === 1].map((isDone) => ({ call: at + 1, isDone }));
  return extent(both.slice(0, 1), both);
}).flat();

test.each(deaths)(
  'a process that dies at call $call (done: $isDone) of a submit loses nothing',
  async (at) => {
    const life = jobLife(inMemory(), GRANTED);
    const wanted = { target: 'ok', renderJs: true, key: 'order' };
    await life.submit(wanted, at);
    life.pass(31_000);
    expect(await life.submit(wanted)).toBeDefined();
    await life.check();
    await life.end();
    expect(life.ids()).toHaveLength(1);
  },
);

test.each(deaths)(
  'a process that dies at call $call (done: $isDone) of an attempt loses nothing',
  async (at) => {
    for (const target of targetNames) {
      const life = jobLife(inMemory(), GRANTED);
      const id = (await life.submit({ target, renderJs: true })) ?? '';
      await life.deliver(id, at);
      await life.check();
      life.pass(31_000);
      await life.deliver(id);
      await life.check();
      await life.end();
    }
  },
);

test.each(deaths)(
  'a process that dies at call $call (done: $isDone) of waiting for a browser uses up its own attempt only',
  async (at) => {
    const life = jobLife(inMemory(), GRANTED);
    const id = (await life.submit({ target: 'crowded', renderJs: true })) ?? '';
    await life.deliver(id);
    life.pass(15_000);
    await life.deliver(id, at);
    await life.check();
    for (let n = 0; n < 6; n += 1) {
      life.pass(31_000);
      await life.deliver(id);
      await life.check();
    }
    expect(life.job(id)).toMatchObject({ status: 'completed' });
    await life.end();
  },
);

test.each(deaths)(
  'a process that dies at call $call (done: $isDone) of a sweep loses nothing',
  async (at) => {
    const life = jobLife(inMemory(), GRANTED);
    const ids = [];
    for (const target of ['ok', 'dead', 'broken'])
      ids.push((await life.submit({ target, renderJs: false })) ?? '');
    await life.deliver(ids[0] ?? '', { call: 9, isDone: true });
    await life.deliver(ids[1] ?? '');
    life.pass(901_000);
    await life.sweep(at);
    await life.check();
    await life.end();
  },
);

describe('a worker that dies while slots pass from job to job', () => {
  /** Jobs wait behind two whose workers died, and begin once the sweeper has failed those. */
  async function story(life: Life, at: Death, asks?: number): Promise<boolean> {
    for (let n = 0; n < 2; n++)
      await life.deliver((await life.submit({ target: 'ok', renderJs: false })) ?? '', IN_ITS_SCRAPE);
    life.pass(600_000);
    for (const target of ['ok', 'broken', 'dead', 'ok', 'missing', 'ok'])
      await life.submit({ target, renderJs: target === 'broken' });
    life.pass(301_000);
    await life.sweep();
    const hasDied = (await life.workOnBacklog(at, asks)) === undefined;
    await life.check();
    life.pass(31_000);
    await Promise.all([life.workOnBacklog(), life.workOnBacklog(), life.sweep()]);
    await life.check();
    await life.end();
    return hasDied;
  }
  const IN_ITS_SCRAPE = { call: 9, isDone: true };
  const PARITIES = extent([0], [0, 1]);

  test.each(PARITIES)('loses and charges nothing twice, in memory (%i)', async (parity) => {
    const storyAt = (storage: Storage, { call }: Death) =>
      story(jobLife(storage, GRANTED), { call, isDone: call % 2 === parity });
    await atEveryCall(() => Promise.resolve(inMemory()), storyAt);
  });

  test.each(PARITIES)('loses no job that it gives back at the end of its turn (%i)', async (parity) => {
    // It asks before and after each page. The fifth time it has a job in hand.
    const storyAt = (storage: Storage, { call }: Death) =>
      story(jobLife(storage, GRANTED), { call, isDone: call % 2 === parity }, 4);
    await atEveryCall(() => Promise.resolve(inMemory()), storyAt);
  });

  test('loses and charges nothing twice, on the emulators', { timeout: 240_000 }, async () => {
    const storyAt = (storage: Storage, at: Death) => story(jobLife(storage, GRANTED), at);
    await atEveryCall(() => Promise.resolve(world), storyAt, extent(85, 1));
  });
});
