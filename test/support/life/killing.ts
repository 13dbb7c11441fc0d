import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { expect, vi } from 'vitest';
import { LOCAL_CREDENTIALS } from '../../../local/create-resources.ts';
import { REGION } from '../../../local/template/physical.ts';
import { type Client, clientOf, type JobAnswer } from '../stack/client.ts';
import type { EventReceiver } from '../servers/event-receiver.ts';
import type { TestStack } from '../stack/local-stack.ts';
import { newOrganization } from '../world/organization.ts';

const JOBS_A_WAVE = 10;
const RENDERED_A_WAVE = 2;
/** A message that was given to a dead worker is sent again by the scheduled sweeps of two minutes. */
const BEGUN_WITHIN = { interval: 200, timeout: 150_000 };
/** Sweeps early, so that jobs of dead workers need not wait a minute. */
const SWEPT_EVERY = { interval: 1_000, timeout: 150_000 };

/** Kills all workers and all browsers in turn while jobs run. Each job must settle and be charged once. */
export async function survivesKilling(stack: TestStack, waves: number): Promise<void> {
  // A dead worker's slot stays occupied for a while.
  const wanted = { plan: 'business', overrides: { concurrency: 100 } } as const;
  const client = clientOf(stack.baseUrl, (await newOrganization(stack.storage, wanted)).api_key);
  using sweeper = sweeperOf(stack);
  const creditsLeft = async () =>
    Number((await client.get('/api/v1/scraper/jobs/none')).headers.get('x-credits-remaining'));

  const before = await creditsLeft();
  const ids: string[] = [];
  for (let turn = 0; turn < waves; turn += 1)
    ids.push(...(await wave(stack, client, turn % 2 ? 'browser' : 'worker')));
  const jobs = await settledJobs(client, sweeper, ids);
  expect(new Set(jobs.map(({ job_id }) => job_id)).size).toBe(waves * JOBS_A_WAVE);
  expect(jobs.filter(({ attempts }) => attempts > 1).length).toBeGreaterThan(waves);
  const failures = jobs.filter(({ status }) => status === 'failed').map(({ error_code }) => error_code);
  // A job may lose its worker or browser three times; any other failure is a fault.
  expect(failures.filter((code) => code !== 'browser_crashed' && code !== 'attempts_exhausted')).toEqual([]);
  expect(failures.length).toBeLessThan(waves);
  const charged = jobs.reduce((sum, { credits_used }) => sum + credits_used, 0);
  const spent = async () => {
    await sweeper.sweep();
    return before - (await creditsLeft());
  };
  await expect.poll(spent, SWEPT_EVERY).toBe(charged);
}

/** All jobs once they have ended, with sweeps in between. */
export async function settledJobs(
  client: Client,
  { sweep }: Pick<ReturnType<typeof sweeperOf>, 'sweep'>,
  ids: string[],
) {
  let isOver = false;
  const settling = Promise.all(ids.map((id) => client.settled(id))).finally(() => (isOver = true));
  await vi.waitUntil(async () => {
    await sweep();
    return isOver;
  }, SWEPT_EVERY);
  return (await settling).map(({ job }) => job);
}

export function sweeperOf({ endpoints, functions }: TestStack) {
  const lambda = new LambdaClient({
    region: REGION,
    credentials: LOCAL_CREDENTIALS,
    endpoint: endpoints.lambda,
  });
  return {
    sweep: () => lambda.send(new InvokeCommand({ FunctionName: functions['sweeper'], Payload: '{}' })),
    [Symbol.dispose]: () => lambda.destroy(),
  };
}

/** Submits jobs, and kills all workers or all browsers once they run, as if their machine failed. */
async function wave(stack: TestStack, client: Client, victims: 'worker' | 'browser'): Promise<string[]> {
  const rendered = victims === 'browser' ? RENDERED_A_WAVE : 0;
  const ids = await Promise.all(
    Array.from({ length: JOBS_A_WAVE }, (_, i) =>
      client.submit({ url: `${stack.demoSite}/slow?ms=1500`, timeout: 15_000, render_js: i < rendered }),
    ),
  );
  for (const id of ids)
    await vi.waitUntil(async () => (await client.job(id)).status !== 'pending', BEGUN_WITHIN);
  const { [victims]: pids = [] } = stack.pids();
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  return ids;
}

const WAITING = 60;
const SLOTS = 5;
const KILLS = 6;

const BATCHES = '/api/v1/scraper/batches';

type BatchAnswer = {
  batch_id: string;
  status: string;
  counts: Record<'completed' | 'failed' | 'pending' | 'running', number>;
  credits_used: number;
};

/** Kills all workers while three batches run. Every request must be counted, charged and returned once. */
export async function batchesSurviveKilling(stack: TestStack): Promise<void> {
  const { client, orgId } = await ownClient(stack);
  using sweeper = sweeperOf(stack);
  const request = { url: `${stack.demoSite}/slow?ms=300`, timeout: 5_000 };
  const requests = Array.from({ length: WAITING / 3 }, () => request);
  for (let n = 0; n < 3; n += 1) expect((await client.post(BATCHES, { requests })).status).toBe(202);
  const batches = async () => ((await (await client.get(BATCHES)).json()) as { data: BatchAnswer[] }).data;
  const settled = async () =>
    (await batches()).reduce((sum, { counts }) => sum + counts.completed + counts.failed, 0);
  await killWorkers(stack, sweeper, settled);
  await vi.waitUntil(async () => {
    await sweeper.sweep();
    return (await batches()).every(({ status }) => status === 'completed');
  }, SWEPT_EVERY);
  const ended = await batches();
  expect(ended.map(({ counts }) => [counts.pending, counts.running])).toEqual(Array(3).fill([0, 0]));
  expect(await settled()).toBe(WAITING);
  for (const { batch_id: id, counts } of ended) {
    const lines = await client.lines<{ line: number; status: string }>(`${BATCHES}/${id}/results`);
    expect(lines.map(({ line }) => line).sort((x, y) => x - y)).toEqual(requests.map((_, n) => n + 1));
    expect(lines.filter(({ status }) => status === 'completed')).toHaveLength(counts.completed);
  }
  const charged = ended.reduce((sum, batch) => sum + batch.credits_used, 0);
  expect(charged).toBe(ended.reduce((sum, { counts }) => sum + counts.completed, 0));
  await expect.poll(await usageOf(stack, orgId, sweeper), SWEPT_EVERY).toEqual({ used: charged, slots: {} });
}

async function ownClient(stack: TestStack) {
  const wanted = { plan: 'business', overrides: { concurrency: SLOTS } } as const;
  const { api_key: key, org_id: orgId } = await newOrganization(stack.storage, wanted);
  return { client: clientOf(stack.baseUrl, key), orgId };
}

/** Kills all workers whenever more has settled. */
async function killWorkers(
  stack: TestStack,
  { sweep }: Pick<ReturnType<typeof sweeperOf>, 'sweep'>,
  settled: () => Promise<number>,
): Promise<void> {
  for (let kill = 0; kill < KILLS; kill += 1) {
    const before = await settled();
    await vi.waitUntil(async () => {
      await sweep();
      return (await settled()) > before || before === WAITING;
    }, SWEPT_EVERY);
    for (const pid of stack.pids()['worker'] ?? []) process.kill(pid, 'SIGKILL');
  }
}

/** Kills all workers again and again while most jobs wait. None may be lost, stuck or charged twice. */
export async function backlogSurvivesKilling(stack: TestStack): Promise<void> {
  const { client, orgId } = await ownClient(stack);
  using sweeper = sweeperOf(stack);
  const request = { url: `${stack.demoSite}/slow?ms=300`, timeout: 5_000 };
  const ids = await Promise.all(Array.from({ length: WAITING }, () => client.submit(request)));
  const settled = async () => (await statuses(client)).filter((status) => status === 'completed').length;
  await killWorkers(stack, sweeper, settled);
  const jobs = await settledJobs(client, sweeper, ids);
  const failures = jobs.filter(({ status }) => status === 'failed').map(({ error_code }) => error_code);
  // A job that lost its worker three times.
  expect(failures.filter((code) => code !== 'attempts_exhausted')).toEqual([]);
  expect(failures.length).toBeLessThan(SLOTS);
  const charged = jobs.reduce((sum, { credits_used }) => sum + credits_used, 0);
  await expect.poll(await usageOf(stack, orgId, sweeper), SWEPT_EVERY).toEqual({ used: charged, slots: {} });
}

/** The credits used and the slots taken after a sweep. */
export async function usageOf(
  { storage }: TestStack,
  orgId: string,
  { sweep }: Pick<ReturnType<typeof sweeperOf>, 'sweep'>,
) {
  const organization = await storage.organizations.find(orgId);
  if (!organization) throw new Error('The organization is gone.');
  return async () => {
    await sweep();
    const { credits, slots } = await storage.usage.read(organization, new Date());
    return { used: credits.used, slots: slots.inUse };
  };
}

const TOLD = 60;
const EVENT_KILLS = 8;
const SWEPT_FOR_EVENTS = { interval: 1_000, timeout: 400_000 };

/** Kills workers and notifiers every second while jobs end. Each job must be reported under one id. */
export async function eventsSurviveKilling(stack: TestStack, receiver: Receiver): Promise<void> {
  const wanted = { plan: 'business', overrides: { concurrency: 20 } } as const;
  const client = clientOf(stack.baseUrl, (await newOrganization(stack.storage, wanted)).api_key);
  using sweeper = sweeperOf(stack);
  const response = await client.post('/api/v1/webhooks', { url: receiver.url, events: ['job.completed'] });
  receiver.setSecret(((await response.json()) as { secret: string }).secret);
  const url = `${stack.demoSite}/slow?ms=300`;
  const ids = await Promise.all(Array.from({ length: TOLD }, () => client.submit({ url, timeout: 5_000 })));
  for (let kill = 0; kill < EVENT_KILLS; kill += 1) {
    const before = receiver.events.length;
    await vi.waitUntil(async () => {
      await sweeper.sweep();
      return receiver.events.length > before || receiver.events.length >= TOLD;
    }, SWEPT_EVERY);
    for (const name of ['worker', 'notifier'])
      for (const pid of stack.pids()[name] ?? []) process.kill(pid, 'SIGKILL');
  }
  const jobs = await settledJobs(client, sweeper, ids);
  const completed = jobs.filter(({ status }) => status === 'completed').map(({ job_id }) => job_id);
  const told = async () => {
    await sweeper.sweep();
    return [...new Set(receiver.events.map(({ data }) => String(data['job_id'])))].sort();
  };
  await expect.poll(told, SWEPT_FOR_EVENTS).toEqual(completed.sort());
  const idsOf = new Set(receiver.events.map(({ id, data }) => `${String(data['job_id'])} ${id}`));
  expect(idsOf.size).toBe(completed.length);
  expect(receiver.refused).toEqual([]);
}

type Receiver = Pick<EventReceiver, 'url' | 'events' | 'refused'> & { setSecret: (secret: string) => void };

async function statuses(client: Client): Promise<string[]> {
  const { data } = (await (await client.get('/api/v1/scraper/jobs?limit=100')).json()) as {
    data: JobAnswer[];
  };
  return data.map(({ status }) => status);
}
