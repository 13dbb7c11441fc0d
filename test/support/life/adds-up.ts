import { expect, vi } from 'vitest';
import { JOB_DEADLINE_MS } from '../../../shared/domain/jobs/timing.ts';
import type { UsageView } from '../../../shared/contract/accounts/account-view.ts';
import type { ActivityPage, ActivityView } from '../../../shared/contract/accounts/activity.ts';
import { type Client, clientOf } from '../stack/client.ts';
import { sweeperOf } from './killing.ts';
import type { TestStack } from '../stack/local-stack.ts';
import { newOrganization } from '../world/organization.ts';

/** Workers die in every third wave. */
const KILLED_EVERY = 3;
const RENDERED_EVERY = 13;
const PATHS = ['/', '/status/404', '/status/500', '/redirect', '/slow?ms=300', '/status/410', '/file.pdf'];
/** A dead worker's job waits for the end of its lease. */
const SWEPT_EVERY = { interval: 1_000, timeout: 150_000 };

type Size = { calls: number; forEachConcurrently: number };

/**
 * Makes mixed calls while workers are killed. Asserts that activity, usage by day, the balance and the
 * responses all report the same credits, and that each scrape is one line of activity.
 */
export async function addsUp(stack: TestStack, { calls, forEachConcurrently }: Size): Promise<void> {
  const wanted = { plan: 'business', overrides: { concurrency: 100 } } as const;
  const client = clientOf(stack.baseUrl, (await newOrganization(stack.storage, wanted)).api_key);
  using sweeper = sweeperOf(stack);
  const made: Made[] = [];
  const refused = new Set<string>();
  for (let at = 0; at < calls; at += forEachConcurrently) {
    const wave = Array.from({ length: Math.min(forEachConcurrently, calls - at) }, (_, n) =>
      call(client, stack.demoSite, at + n, refused),
    );
    made.push(...(await Promise.all(wave)));
    if ((at / forEachConcurrently) % KILLED_EVERY === 0) kill(stack);
  }
  const ofScrapes = made.reduce((sum, { credits }) => sum + credits, 0);
  const jobIds = made.flatMap(({ isJob, id }) => (isJob ? [id] : []));
  const reported = ofScrapes + (await creditsOfJobs(client, jobIds, sweeper.sweep));
  await vi.waitFor(async () => {
    await sweeper.sweep();
    const { lines, ...credits } = await creditsSeen(client);
    expect(credits).toEqual({ activity: reported, days: reported, used: reported });
    const ids = lines.map(idOf).filter((id) => !refused.has(id));
    expect(ids.sort()).toEqual(made.map(({ id }) => id).sort());
  }, SWEPT_EVERY);
}

type Made = { credits: number; id: string; isJob: boolean };

/** A sync scrape or a job, plain or rendered, of a target with one status or another. */
async function call(client: Client, demoSite: string, n: number, refused: Set<string>): Promise<Made> {
  const url = demoSite + (PATHS[n % PATHS.length] ?? '/');
  const request = { url, render_js: n % RENDERED_EVERY === 0, timeout: 5_000 };
  const isJob = n % 2 === 1;
  const send = () => (isJob ? client.post('/api/v1/scraper/jobs', request) : client.scrape(request));
  const answer = await admitted(send, refused);
  if (isJob) return { credits: 0, id: ((await answer.json()) as { job_id: string }).job_id, isJob };
  await answer.arrayBuffer();
  const { headers } = answer;
  return { credits: Number(headers.get('x-credits-used')), id: headers.get('x-request-id') ?? '', isJob };
}

/** Sends it again while all places are taken: the jobs of dead workers keep theirs until their leases end. */
export function admitted(send: () => Promise<Response>, refused: Set<string>): Promise<Response> {
  return vi.waitUntil(async () => {
    const answer = await send();
    if (answer.status !== 429 && answer.status !== 503) return answer;
    await answer.arrayBuffer();
    refused.add(answer.headers.get('x-request-id') ?? '');
    return false;
  }, SWEPT_EVERY);
}

function kill(stack: TestStack): void {
  for (const pid of stack.pids().worker ?? []) process.kill(pid, 'SIGKILL');
}

async function creditsOfJobs(client: Client, ids: string[], sweep: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  const settling = sumInTurn(client, ids).finally(() => (isOver = true));
  const untilOver = async () => {
    await sweep();
    return isOver;
  };
  await vi.waitUntil(untilOver, { interval: 1_000, timeout: JOB_DEADLINE_MS });
  return settling;
}

/** One after another, as a thousand callers who poll would slow down the jobs themselves. */
async function sumInTurn(client: Client, ids: readonly string[]): Promise<number> {
  let sum = 0;
  for (const id of ids) sum += (await client.settled(id)).job.credits_used;
  return sum;
}

export async function creditsSeen(client: Client) {
  const read = async <T>(path: string) => (await (await client.get(`/api/v1/account${path}`)).json()) as T;
  const lines = await linesOf(read);
  const { total } = await read<UsageView>('/usage');
  const { credits } = await read<{ credits: { used: number } }>('');
  const activity = lines.reduce((sum, line) => sum + line.credits, 0);
  return { activity, days: total.credits, used: credits.used, lines };
}

export const idOf = ({ job_id: jobId, request_id: requestId }: ActivityView) => jobId ?? requestId ?? '';

async function linesOf(read: <T>(path: string) => Promise<T>): Promise<ActivityView[]> {
  const lines: ActivityView[] = [];
  let query = '?limit=100';
  for (;;) {
    const { data, next_cursor: cursor } = await read<ActivityPage>(`/activity${query}`);
    lines.push(...data);
    if (cursor === undefined) return lines;
    query = `?limit=100&cursor=${cursor}`;
  }
}
