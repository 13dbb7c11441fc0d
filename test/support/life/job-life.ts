import { API_URL } from '../world/in-memory-world.ts';
import { inMemoryLadder, inMemoryPageCache } from '../world/in-memory-world.ts';
import { convertHere } from '../world/convert-here.ts';
import { expect } from 'vitest';
import { submitJob } from '../../../functions/jobs/submit-job.ts';
import { failDeadLetters } from '../../../functions/sweeper/fail-dead-letters.ts';
import { organizationsWithBacklogs } from '../../../functions/sweeper/backlogs.ts';
import { dueJobs } from '../../../functions/sweeper/jobs.ts';
import { organizationsWithSlots } from '../../../functions/sweeper/slots.ts';
import { sweepDue } from '../../../functions/sweeper/sweep-due.ts';
import { openPlaces } from '../../../shared/use-cases/jobs/fill-places.ts';
import { chooseWork } from '../../../functions/worker/backlog/choose-work.ts';
import { runJob } from '../../../functions/worker/jobs/run-job.ts';
import { drainBacklog } from '../../../functions/worker/backlog/drain-backlog.ts';
import type { FinishedJob, Job } from '../../../shared/contract/jobs/job.ts';
import type { Page } from '../../../shared/contract/scrape/page.ts';
import { creditsUsed, isFinished, isVisible } from '../../../shared/domain/jobs/state.ts';
import { AppError, toAppError } from '../../../shared/errors.ts';
import type { AuthenticatedCall } from '../../../shared/http/call.ts';
import { openMeter } from '../../../shared/http/meter.ts';
import type { AccountEffects } from '../../../shared/ports/accounts.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import { accountsOf } from '../world/in-memory-accounts.ts';
import type { Queue } from '../../../shared/ports/jobs.ts';
import { v7 } from 'uuid';
import { openRequestLog } from '../../../shared/observe/request-log.ts';
import { type Death, mortal } from '../world/mortal.ts';
import { NOON, storedOrganization } from '../world/jobs.ts';
import { keptLog } from '../world/kept-log.ts';
import { page } from '../world/pages.ts';
import { readByScript, scriptedModel } from '../world/scripted-model.ts';
import { MAX_ATTEMPTS } from '../../../shared/domain/work/attempts.ts';

const MINUTE_MS = 60_000;
/** The deadline, the longest remaining lease, and some sweeps. */
const END_MINUTES = 25;
/** Sweeps that also find a job whose submit died before its response. */
const FIRST_SWEEPS = 2;
const RANK = { pending: 0, running: 1, completed: 2, failed: 2 };

/** The response of a target, by the name in its URL; `tries` counts its earlier requests. */
const targets: Record<string, (tries: number) => Page> = {
  ok: () => page('ok'),
  missing: () => page('gone', { status: 404 }),
  broken: () => page('sorry', { status: 500 }),
  dead: () => {
    throw new AppError('connect_failed');
  },
  insecure: () => {
    throw new AppError('tls_failed');
  },
  // Busy more often than a job has attempts.
  crowded: (tries) => {
    if (tries > MAX_ATTEMPTS + 1) return page('ok');
    throw new AppError('busy');
  },
  full: () => {
    throw new AppError('busy');
  },
};
export const targetNames = Object.keys(targets);

type JobEffects = Omit<
  Effects,
  'identities' | 'people' | 'sessions' | 'signUps' | 'rateLimits' | 'receivers' | 'vault' | 'post'
>;
export type Storage = AccountEffects &
  Pick<
    Effects,
    | 'activity'
    | 'batches'
    | 'chunks'
    | 'crawls'
    | 'targetHosts'
    | 'jobs'
    | 'results'
    | 'uploads'
    | 'webhooks'
    | 'deliveries'
  >;
export type Submit = { target: string; renderJs: boolean; key?: string | undefined };

/**
 * One organization's jobs on some storage, with their own clock, driven step by step through deaths of
 * processes. `check` asserts what must be true after every step, `end` what must be true at the end.
 */
export function jobLife(all: Storage, granted: number) {
  const { activity, batches, chunks, crawls, targetHosts, jobs, results, uploads, webhooks, deliveries } =
    all;
  const kept = { batches, chunks, crawls, targetHosts, jobs, results, uploads };
  const stored = { activity, ...kept, webhooks, deliveries };
  const storage = { ...accountsOf(all), ...stored };
  let time = NOON.getTime();
  let messages: string[] = [];
  let wakes = 0;
  const keyId = v7();
  const organization = storedOrganization({ credits: granted, concurrency: 2, rpm: 6_000 });
  const seen = new Map<string, Job>();
  const keyed = new Map<string, Set<string>>();
  const accepted = new Set<string>();

  const queue: Queue = {
    send: async ({ id }) => {
      await Promise.resolve();
      messages.push(id);
      accepted.add(id);
    },
    hasMessages: () => Promise.resolve(false),
    wake: async () => {
      await Promise.resolve();
      wakes += 1;
    },
    readUpload: () => Promise.resolve(),
    planCrawl: () => Promise.resolve(),
  };
  const tries = new Map<string, number>();
  const visits = new Map<string, number>();
  const getPage: Effects['renderPage'] = async ({ url }, { scrapeId }) => {
    await Promise.resolve();
    const jobId = scrapeId.split('~')[0] ?? '';
    const before = tries.get(jobId) ?? 0;
    tries.set(jobId, before + 1);
    try {
      return targets[new URL(url).hostname.split('.')[0] ?? '']?.(before) ?? page('ok');
    } catch (error) {
      if (toAppError(error).code === 'busy') visits.set(jobId, (visits.get(jobId) ?? 0) - 1);
      throw error;
    } finally {
      visits.set(jobId, (visits.get(jobId) ?? 0) + 1);
    }
  };
  const effects: JobEffects = {
    ...storage,
    queue,
    notifierQueue: { deliver: () => Promise.resolve(), credits: () => Promise.resolve() },
    fetchPage: getPage,
    renderPage: getPage,
    convert: convertHere,
    readValues: readByScript(scriptedModel()),
    ladderMemory: inMemoryLadder(),
    pageCache: inMemoryPageCache(),
    count: () => undefined,
    apiUrl: API_URL,
    now: () => new Date(time),
    newId: () => v7({ msecs: time }),
    wait: async (ms) => {
      await Promise.resolve();
      time += ms;
    },
  };
  const ready = storage.organizations
    .save(organization)
    .then(() => setKey('active'))
    .then(() => addEndpoint());
  const endpointId = v7();

  /** An endpoint that receives the events of every job. */
  async function addEndpoint() {
    const events = ['job.completed', 'job.failed'] as const;
    const times = { createdAt: NOON, enabledAt: NOON };
    const secrets = [{ sealed: '' }];
    const it = { id: endpointId, orgId: organization.id, events: [...events], secrets, ...times };
    await storage.notes.noteEvents(organization, events, NOON);
    await storage.webhooks.add({ ...it, url: 'https://example.com/', version: 0 });
  }

  async function setKey(status: 'active' | 'revoked') {
    const record = {
      id: keyId,
      hash: '',
      orgId: organization.id,
      name: '',
      last4: '',
      status,
      createdAt: NOON,
    };
    await storage.keys.save(record);
  }

  /** Runs as a process that may die. Returns undefined if it died. */
  async function run<T>(
    death: Death | undefined,
    work: (fx: JobEffects) => Promise<T>,
  ): Promise<T | undefined> {
    await ready;
    const fx = mortal(effects, death);
    try {
      const result = await work(fx);
      return fx.hasDied() ? undefined : result;
    } catch (error) {
      if (fx.hasDied() || error instanceof AppError) return undefined;
      throw error;
    }
  }

  async function submit({ target, renderJs, key }: Submit, death?: Death): Promise<string | undefined> {
    const submitted = await run(death, async (fx) => {
      const meter = openMeter(fx, organization, 'scrape');
      await meter.takeRateLimit();
      const requestLog = openRequestLog();
      const call = {
        requestId: v7(),
        session: { organization, keyId },
        meter,
        requestLog,
      } as AuthenticatedCall;
      const url = `https://${target}.example/`;
      return submitJob(fx, { url, renderJs, premiumProxy: false, timeout: 10_000 }, key, call);
    });
    if (submitted === undefined) return undefined;
    accepted.add(submitted.job.id);
    if (key !== undefined) {
      const id = `${key} ${target} ${renderJs}`;
      keyed.set(id, (keyed.get(id) ?? new Set()).add(submitted.job.id));
    }
    return submitted.job.id;
  }

  async function check(): Promise<void> {
    // Read before the jobs: a worker may be ending one, and charges for it once it has ended.
    const usage = await storage.usage.read(organization, effects.now());
    for (const id of accepted) await checkJob(id);
    for (const ids of keyed.values()) expect(ids.size).toBe(1);
    const held = Object.values(usage.slots.inUse).reduce((sum, slot) => sum + slot.credits, 0);
    expect(usage.credits.available + held + usage.credits.used).toBe(granted);
    expect(Math.min(usage.credits.available, usage.credits.used)).toBeGreaterThanOrEqual(0);
    expect(Object.keys(usage.slots.inUse).length).toBeLessThanOrEqual(2);
    expect(usage.credits.used).toBeLessThanOrEqual(charged());
  }

  async function checkJob(id: string): Promise<void> {
    const job = await storage.jobs.find(id);
    const before = seen.get(id);
    if (job === undefined) {
      // An accepted job is stored; only its message may precede it, before the submit has returned.
      expect(before).toBeUndefined();
      return;
    }
    // An attempt is returned only if the target received nothing of it.
    expect(job.attempt).toBeGreaterThanOrEqual(visits.get(id) ?? 0);
    expect(job.attempt).toBeLessThanOrEqual(MAX_ATTEMPTS);
    expect(job.status === 'failed' && job.errorCode === 'busy').toBe(false);
    if (before) expect(RANK[job.status]).toBeGreaterThanOrEqual(RANK[before.status]);
    if (before && isFinished(before)) expect(visible(job)).toEqual(visible(before));
    if (job.status === 'completed') {
      const body = await storage.results.open(job.resultKey);
      expect(body).toBeDefined();
      // An unread body would keep its connection open.
      body?.destroy();
    }
    seen.set(id, job);
  }

  const finished = (): FinishedJob[] => [...seen.values()].filter(isFinished);
  const isAllClosed = () => [...seen.values()].every((job) => job.dueAt === undefined);
  const charged = () => finished().reduce((sum, job) => sum + creditsUsed(job), 0);

  /** Lets time pass without deaths, and asserts that everything is settled to the credit. */
  async function end(): Promise<void> {
    await wake();
    for (let minute = 0; minute < END_MINUTES; minute++) {
      await run(undefined, (fx) => sweepAll({ ...fx, log }));
      for (; wakes > 0; wakes--) await workOnBacklog();
      for (const id of take()) await run(undefined, (fx) => place(fx, id));
      time += MINUTE_MS;
      await check();
      const { slots } = await storage.usage.read(organization, effects.now());
      if (minute >= FIRST_SWEEPS && isAllClosed() && Object.keys(slots.inUse).length === 0) break;
    }
    // Returned by the process that ended the job, not merely freed at expiry.
    expect((await storage.usage.read(organization, effects.now())).slots.inUse).toEqual({});
    time += END_MINUTES * MINUTE_MS;
    expect([...seen.values()].filter((job) => !isFinished(job))).toEqual([]);
    expect(finished().every((job) => isVisible(job, effects.now()) && job.dueAt === undefined)).toBe(true);
    const usage = await storage.usage.read(organization, effects.now());
    expect(usage).toMatchObject({
      credits: { used: charged(), available: granted - charged() },
      slots: { inUse: {} },
    });
    await run(undefined, (fx) => sweepAll({ ...fx, log }));
    const listed = await storage.waitList.list();
    expect(listed.filter(({ orgId }) => orgId === organization.id)).toEqual([]);
    const lines = await storage.activity.lines(organization.id, { from: '2026', to: '2027', limit: 1_000 });
    expect(lines.map(({ line }) => line.id).sort()).toEqual(
      finished()
        .map(({ id }) => id)
        .sort(),
    );
    expect(lines.reduce((sum, { line }) => sum + line.credits, 0)).toBe(charged());
    expect(await told()).toEqual(
      finished()
        .map(({ id, status }) => `job.${status} ${id}`)
        .sort(),
    );
  }

  /** The events on their way to the endpoint. */
  async function told(): Promise<string[]> {
    const { deliveries: sent } = await storage.deliveries.list(organization.id, endpointId, { limit: 1_000 });
    return sent
      .map(({ type, body }) => `${type} ${(JSON.parse(body) as { data: { job_id: string } }).data.job_id}`)
      .sort();
  }

  /** As a worker does with a message: the job, and then jobs that wait for its slot. */
  async function place(fx: JobEffects, id: string): Promise<void> {
    const verdict = await runJob(fx, id, runContext());
    if (verdict.awaitedIn !== undefined) await drainBacklog(fx, verdict.awaitedIn, backlogContext(fx));
  }

  /** The turn of the worker ends when it has been checked so often. */
  const backlogContext = (fx: JobEffects, asks = Infinity) => ({
    ...runContext(),
    log,
    policy: { allow: [] },
    chooser: chooseWork(fx),
    places: openPlaces(),
    hostConcurrency: 8,
    robotsToken: 'Sitefetch',
    budget: { isOver: () => Promise.resolve(--asks < 0) },
  });
  const workOnBacklog = (death?: Death, asks?: number) =>
    run(death, async (fx) => {
      await drainBacklog(fx, organization.id, backlogContext(fx, asks));
      return true;
    });

  const stalled: { wake: () => void; work: Promise<unknown> }[] = [];

  /** Delivers to a worker that stalls at a call until `wake`. Resolves once it stalls, or is done before. */
  async function stall(id: string, { call, isDone }: Death): Promise<void> {
    const reached = Promise.withResolvers<undefined>();
    const woken = Promise.withResolvers<undefined>();
    const stallHere = () => {
      reached.resolve(undefined);
      return woken.promise;
    };
    const work = run({ call, isDone, stall: stallHere }, (fx) => place(fx, id));
    stalled.push({ wake: () => woken.resolve(undefined), work });
    await Promise.race([reached.promise, work]);
  }

  /** Lets every stalled worker run to its end. */
  async function wake(): Promise<void> {
    for (const { wake: go, work } of stalled.splice(0)) {
      go();
      await work;
    }
  }

  function take(): string[] {
    const taken = messages;
    messages = [];
    return taken;
  }

  return {
    submit,
    check,
    end,
    ids: () => [...accepted],
    /** The job as of the last check. */
    job: (id: string) => seen.get(id),
    pass: (ms: number) => {
      time += ms;
    },
    deliver: (id: string, death?: Death) => run(death, (fx) => place(fx, id)),
    workOnBacklog,
    sweep: (death?: Death) => run(death, (fx) => sweepAll({ ...fx, log }).catch(reasons)),
    bury: (id: string, death?: Death) =>
      run(death, (fx) =>
        failDeadLetters({ ...fx, log }, { Records: [{ body: JSON.stringify({ jobId: id }) }] } as never),
      ),
    stall,
    wake,
    setKey,
  };
}

const { log } = keptLog();
const runContext = () => ({ signal: new AbortController().signal, requestLog: openRequestLog() });

async function sweepAll(fx: Parameters<typeof dueJobs>[0]): Promise<void> {
  const { signal } = new AbortController();
  await sweepDue(organizationsWithSlots(fx), log, signal);
  await sweepDue(organizationsWithBacklogs(fx), log, signal);
  await sweepDue(dueJobs(fx), log, signal);
}

/** A sweep continues after a fault and reports all faults at its end. */
function reasons(error: unknown): never {
  throw error instanceof AggregateError ? toAppError(error.errors[0]) : error;
}

/** A finished job as its caller sees it, whether or not its slot is settled. */
function visible(job: Job): Job {
  return { ...job, dueAt: undefined } as Job;
}
