import { expect } from 'vitest';
import { v7 } from 'uuid';
import type { Kind } from '../../../shared/contract/scrape/mode.ts';
import { type Ended, monthOf, rowsOf, tallyOf } from '../../../shared/domain/accounts/credits/usage-days.ts';
import type { AccountEffects } from '../../../shared/ports/accounts.ts';
import { type Death, Died } from '../world/mortal.ts';
import { storedOrganization } from '../world/jobs.ts';

const MINUTE_MS = 60_000;
/** Ten minutes before a day and a month end. */
const START = Date.parse('2026-11-30T23:50:00Z');
const FOREVER = new Date('2030-01-01T00:00:00Z');
/** Clocks of environments, some behind, some ahead. */
const SKEWS_MS = [-3 * MINUTE_MS, 0, 2 * MINUTE_MS];
const COST: Record<Kind, number> = { plain: 1, rendered: 5, premium: 10, both: 25 };
/** A clock so far behind that it begins no new day, and reads what is stored. */
const LONG_AGO = new Date('2026-01-01T00:00:00Z');

export type Scrape = { kind: Kind; reason: Ended['reason'] };
type Begun = { id: string; held: number; ended: Ended };

/**
 * The scrapes of one organization around midnight, by environments with clocks of their own. Some die or
 * stall at a call. `start` returns the accounts port of a new environment.
 */
export function usageLife(start: (death?: Death) => AccountEffects) {
  let time = START;
  const clocks = SKEWS_MS.map((skew) => ({ ...start(), now: () => new Date(time + skew) }));
  const organization = storedOrganization(
    { concurrency: 1_000, credits: 1_000_000 },
    { plan: 'business', createdAt: new Date(START) },
  );
  const begun: Begun[] = [];
  /** Settled by an environment that died or stalls, so maybe not settled. */
  const uncertain: Begun[] = [];
  let settled = { scrapes: 0, credits: 0 };
  const wakers: { wake: () => void; work: Promise<unknown> }[] = [];

  const clockOf = (at: number) => {
    const clock = clocks[at % clocks.length];
    if (clock === undefined) throw new Error('There is no clock.');
    return clock;
  };

  function begunAs({ kind, reason }: Scrape): Begun {
    const held = COST[kind];
    return { id: v7(), held, ended: { kind, reason, charged: reason === 'page' ? held : 0 } };
  }

  async function begin(at: number, wanted: Scrape, death?: Death): Promise<void> {
    const scrape = begunAs(wanted);
    const { held } = scrape;
    const clock = clockOf(at);
    const admit = (by: AccountEffects) =>
      by.usage.admit(organization, { credits: held, slot: { id: scrape.id, until: FOREVER } }, clock.now());
    if (death) await admit(start(death)).catch(unlessDead);
    expect(await admit(clock)).toMatchObject({ outcome: 'admitted' });
    begun.push(scrape);
  }

  /** A repeat, which takes no slot. */
  async function repeat(at: number, kind: Kind): Promise<void> {
    const clock = clockOf(at);
    const ended = { kind, reason: 'cached', charged: 0 } as const;
    await clock.usage.count(organization, tallyOf(ended), clock.now());
    settled = { ...settled, scrapes: settled.scrapes + 1 };
  }

  const settleBy = (accounts: AccountEffects, now: Date, { id, held, ended }: Begun) =>
    accounts.usage.settle(organization, { slotId: id, held, ended: tallyOf(ended) }, now);

  async function end(at: number, death?: Death): Promise<void> {
    const scrape = begun.shift() ?? uncertain.shift();
    if (scrape === undefined) return;
    const clock = clockOf(at);
    if (death) {
      uncertain.push(scrape);
      await settleBy(start(death), clock.now(), scrape).catch(unlessDead);
    } else {
      await settleBy(clock, clock.now(), scrape);
      count(scrape);
    }
  }

  /** Settles in an environment that stalls at a call until it is woken. */
  function stall(at: number, { call, isDone }: Death): void {
    const scrape = begun.shift();
    if (scrape === undefined) return;
    uncertain.push(scrape);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const work = settleBy(start({ call, isDone, stall: () => promise }), clockOf(at).now(), scrape);
    wakers.push({ wake: () => resolve(undefined), work });
  }

  async function wake(): Promise<void> {
    for (const { wake: go, work } of wakers.splice(0)) {
      go();
      await work;
    }
  }

  function count({ ended }: Begun): void {
    settled = { scrapes: settled.scrapes + 1, credits: settled.credits + ended.charged };
  }

  const rows = async () => {
    const days = await clockOf(0).usage.days(organization, '2026-01-01', '2027-12-31');
    return Object.entries(days).flatMap(([day, counts]) => rowsOf(day, counts));
  };
  const sumOf = (all: Awaited<ReturnType<typeof rows>>) => ({
    scrapes: all.reduce((sum, row) => sum + row.scrapes, 0),
    credits: all.reduce((sum, row) => sum + row.credits, 0),
  });

  return {
    begin,
    repeat,
    end,
    stall,
    wake,
    pass: (minutes: number) => {
      time += minutes * MINUTE_MS;
    },

    /** No scrape is lost or counted twice, and the days of the month add up to its usage. */
    check: async () => {
      const all = await rows();
      const sum = sumOf(all);
      const perhaps = uncertain.reduce((total, { ended }) => total + ended.charged, 0);
      expect(sum.scrapes).toBeGreaterThanOrEqual(settled.scrapes);
      expect(sum.scrapes).toBeLessThanOrEqual(settled.scrapes + uncertain.length);
      expect(sum.credits).toBeGreaterThanOrEqual(settled.credits);
      expect(sum.credits).toBeLessThanOrEqual(settled.credits + perhaps);
      if (wakers.length > 0) return;
      const usage = await clockOf(0).usage.read(organization, LONG_AGO);
      const ofMonth = all.filter(({ day }) => monthOf(day) === usage.credits.period);
      expect(sumOf(ofMonth).credits).toBe(usage.credits.used);
    },

    /** With correct clocks and no deaths, the sums are exact, by kind too. */
    finish: async () => {
      await wake();
      while (begun.length > 0) await end(1);
      for (const scrape of uncertain.splice(0)) {
        await settleBy(clockOf(1), new Date(time), scrape);
        count(scrape);
      }
      const all = await rows();
      expect(sumOf(all)).toEqual(settled);
      for (const { kind, reasons, credits } of all) expect(credits).toBe(reasons.page * COST[kind]);
    },
  };
}

function unlessDead(error: unknown): void {
  if (!(error instanceof Died)) throw error;
}
