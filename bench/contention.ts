/**
 * One organization at a hundred scrapes a second from many environments: docs/scaling.md. Options:
 * `--emulator dynalite|dynamodb-local`, `--seconds`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { v7 } from 'uuid';
import type { Organization } from '../shared/contract/accounts/account.ts';
import { AppError } from '../shared/errors.ts';
import type { Accounts } from '../shared/ports/accounts.ts';
import { rounded } from './compare.ts';
import { percentile } from './measure.ts';
import { ended } from '../test/support/jobs.ts';
import { startDynamodb } from './start-dynamodb.ts';

const { values } = parseArgs({
  options: {
    emulator: { type: 'string', default: 'dynalite' },
    seconds: { type: 'string', default: '20' },
  },
});
const A_SECOND = 100;
const SLOT_MS = 60_000;
const CREDITS = 1_000_000;

await using world = await startDynamodb(values.emulator);

/** The plan's limit, where the bucket is seldom idle, and higher ones. */
const LOADS = [
  { rpm: 6_000, scrapeMs: 30 },
  { rpm: 6_000, scrapeMs: 300 },
  { rpm: 6_000, scrapeMs: 1_000 },
  { rpm: 7_000, scrapeMs: 300 },
  { rpm: 12_000, scrapeMs: 300 },
  { rpm: 60_000, scrapeMs: 300 },
];

type Load = { rpm: number; scrapeMs: number };
type Times = { admit: number[]; settle: number[] };

const organization = (rpm: number): Organization => ({
  id: `org_${v7()}`,
  name: 'Busy',
  plan: 'business',
  status: 'active',
  overrides: { rpm, credits: CREDITS },
  createdAt: new Date(),
});

const units = () => world.spent.reduce((sum, it) => sum + it, 0);
const timed = async <T>(times: number[], work: Promise<T>): Promise<T> => {
  const startedAt = performance.now();
  const result = await work;
  times.push(performance.now() - startedAt);
  return result;
};

/** One scrape as an environment admits and settles it. Returns its outcome. */
async function scrape(accounts: Accounts, org: Organization, ms: number, times: Times): Promise<string> {
  const now = new Date();
  const slot = { id: v7(), until: new Date(now.getTime() + SLOT_MS) };
  try {
    const request = { bucket: 'scrape', credits: 1, slot } as const;
    const admission = await timed(times.admit, accounts.admit(org, request, now));
    if (admission.outcome === 'refused') return admission.code;
    await sleep(ms);
    await timed(
      times.settle,
      accounts.settle(org, { slotId: slot.id, held: 1, ended: ended(1) }, new Date()),
    );
    return 'done';
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}

/**
 * Arrivals at random times, regardless of earlier ones. Each environment takes one at a time, as on Lambda.
 */
async function openLoop({ rpm, scrapeMs }: Load, seconds: number) {
  const org = organization(rpm);
  const idle: Accounts[] = [];
  const times: Times = { admit: [], settle: [] };
  const running: Promise<string>[] = [];
  let environments = 0;
  const arrive = async () => {
    const accounts = idle.pop() ?? world.newAccounts();
    environments = Math.max(environments, running.length - times.settle.length);
    const answer = await scrape(accounts, org, scrapeMs, times);
    idle.push(accounts);
    return answer;
  };
  // The first scrape starts the month.
  await scrape(world.newAccounts(), org, 0, { admit: [], settle: [] });
  const before = { calls: world.calls.length, units: units() };
  const startedAt = performance.now();
  for (let at = 0; at < seconds * 1_000; at += (-Math.log(1 - Math.random()) * 1_000) / A_SECOND) {
    const wait = startedAt + at - performance.now();
    if (wait > 1) await sleep(wait);
    running.push(arrive());
  }
  const answers = Object.groupBy(await Promise.all(running), (answer) => answer);
  const done = answers.done?.length ?? 0;
  const calls = world.calls.slice(before.calls);
  const { available, used, slots } = await world.accounts.usage(org, new Date());
  return {
    rpm,
    scrape_ms: scrapeMs,
    at_once: environments,
    arrivals: running.length,
    done,
    busy: answers.busy?.length ?? 0,
    refused: running.length - done - (answers.busy?.length ?? 0),
    writes: rounded(calls.filter((it) => it === 'UpdateItemCommand').length / done),
    reads: rounded(calls.filter((it) => it === 'GetItemCommand').length / done),
    units: rounded((units() - before.units) / done),
    admit_p50: rounded(percentile(times.admit, 0.5)),
    admit_p95: rounded(percentile(times.admit, 0.95)),
    settle_p95: rounded(percentile(times.settle, 0.95)),
    // One more scrape started the month.
    is_right: used === done + 1 && available === CREDITS - used && Object.keys(slots).length === 0,
  };
}

/** Environments take turns without pauses, which shows what the emulator and retries allow. */
async function closedLoop(clients: number, ms: number) {
  const org = organization(6_000_000);
  const times: Times = { admit: [], settle: [] };
  await scrape(world.newAccounts(), org, 0, { admit: [], settle: [] });
  const before = world.calls.length;
  const startedAt = performance.now();
  const answers: string[] = [];
  const client = async () => {
    const accounts = world.newAccounts();
    while (performance.now() - startedAt < ms) answers.push(await scrape(accounts, org, 0, times));
  };
  await Promise.all(Array.from({ length: clients }, client));
  const done = answers.filter((it) => it === 'done').length;
  return {
    clients,
    a_second: rounded((done / (performance.now() - startedAt)) * 1_000),
    busy: answers.length - done,
    calls: rounded((world.calls.length - before) / done),
    admit_p95: rounded(percentile(times.admit, 0.95)),
  };
}

/** Capacity units of one admission and settlement beside that many other slots. */
async function costBeside(held: number) {
  const org = organization(6_000_000);
  const now = new Date();
  const admit = (id: string) =>
    world.accounts.admit(
      org,
      { bucket: 'scrape', credits: 1, slot: { id, until: new Date(now.getTime() + SLOT_MS) } },
      now,
    );
  for (let slot = 0; slot <= held; slot++) await admit(v7());
  const [id, before] = [v7(), units()];
  await admit(id);
  const admitted = units();
  await world.accounts.settle(org, { slotId: id, held: 1, ended: ended(1) }, now);
  return { held, admit: admitted - before, settle: units() - admitted };
}

const costs = [];
for (const held of [0, 10, 30, 50, 100, 150, 198]) costs.push(await costBeside(held));
console.table(costs);
const seconds = Number(values.seconds);
const loads = [];
for (const load of LOADS) loads.push(await openLoop(load, seconds));
console.table(loads);
const loops = [];
for (const clients of [1, 4, 16, 64, 190]) loops.push(await closedLoop(clients, 5_000));
console.table(loops);
if (!loads.every((it) => it.is_right)) process.exitCode = 1;
