import { expect, vi } from 'vitest';
import type { UsageView } from '../../shared/contract/account-view.ts';
import type { ActivityPage, ActivityView } from '../../shared/contract/activity.ts';
import { type Client, clientOf } from './client.ts';
import { sweeperOf } from './killing.ts';
import type { TestStack } from './local-stack.ts';
import { newOrganization } from './organization.ts';

const A_WAVE = 20;
/** Workers die in every third wave. */
const KILLED_EVERY = 3;
const RENDERED_EVERY = 13;
const PATHS = ['/', '/status/404', '/status/500', '/redirect', '/slow?ms=300', '/status/410', '/file.pdf'];
/** A dead worker's job waits for the end of its lease. */
const SWEPT_EVERY = { interval: 1_000, timeout: 150_000 };

/**
 * Makes mixed calls while workers are killed. Asserts that activity, usage by day, the balance and the
 * responses all report the same credits.
 */
export async function addsUp(stack: TestStack, calls: number): Promise<void> {
  const wanted = { plan: 'business', overrides: { concurrency: 100 } } as const;
  const client = clientOf(stack.baseUrl, (await newOrganization(stack.storage, wanted)).api_key);
  using sweeper = sweeperOf(stack);
  let reported = 0;
  const ids: string[] = [];
  for (let at = 0; at < calls; at += A_WAVE) {
    const wave = Array.from({ length: Math.min(A_WAVE, calls - at) }, (_, n) => call(stack, client, at + n));
    const made = await Promise.all(wave);
    reported += made.reduce((sum, { credits }) => sum + credits, 0);
    ids.push(...made.flatMap(({ jobId }) => jobId ?? []));
    if ((at / A_WAVE) % KILLED_EVERY === 0) kill(stack);
  }
  reported += await creditsOfJobs(client, ids, sweeper.sweep);
  await vi.waitFor(async () => {
    await sweeper.sweep();
    expect(await creditsSeen(client)).toEqual({
      activity: reported,
      days: reported,
      used: reported,
      lines: calls,
    });
  }, SWEPT_EVERY);
}

type Made = { credits: number; jobId?: string };

/** A sync scrape or a job, plain or rendered, of a target with one status or another. */
async function call({ demoSite }: TestStack, client: Client, n: number): Promise<Made> {
  const url = demoSite + (PATHS[n % PATHS.length] ?? '/');
  const request = { url, render_js: n % RENDERED_EVERY === 0, timeout: 10_000 };
  if (n % 2 === 1) return { credits: 0, jobId: await client.submit(request) };
  const answer = await client.scrape(request);
  await answer.arrayBuffer();
  return { credits: Number(answer.headers.get('x-credits-used')) };
}

function kill(stack: TestStack): void {
  for (const pid of stack.pids().worker ?? []) process.kill(pid, 'SIGKILL');
}

async function creditsOfJobs(client: Client, ids: string[], sweep: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  const settling = Promise.all(ids.map((id) => client.settled(id))).finally(() => (isOver = true));
  await vi.waitUntil(async () => {
    await sweep();
    return isOver;
  }, SWEPT_EVERY);
  return (await settling).reduce((sum, { job }) => sum + job.credits_used, 0);
}

async function creditsSeen(client: Client) {
  const read = async <T>(path: string) => (await (await client.get(`/api/v1/account${path}`)).json()) as T;
  const lines = await linesOf(read);
  const { total } = await read<UsageView>('/usage');
  const { credits } = await read<{ credits: { used: number } }>('');
  const activity = lines.reduce((sum, line) => sum + line.credits, 0);
  return { activity, days: total.credits, used: credits.used, lines: lines.length };
}

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
