import { expect } from 'vitest';
import { chromeFetcher } from '../../../shared/adapters/web/chrome-fetcher.ts';
import { charge } from '../../../shared/domain/accounts/credits/charge.ts';
import { isFinished } from '../../../shared/domain/jobs/state.ts';
import { newService, serviceOver } from '../world/api.ts';
import { mortal } from '../world/mortal.ts';
import { targetServer } from '../servers/target-server.ts';

const JOBS = '/api/v1/scraper/jobs';
const MINUTE_MS = 60_000;
/** The deadline of a job, the longest lease, and some sweeps. */
const END_MINUTES = 25;
/** More than a worker makes for one job. */
const MAX_CALLS = 24;

/** How the target ends a request, by turns. A dead port never receives it. */
const ENDS = ['page', 'reset', 'half', 'redirect to nowhere', 'error', 'dead port'] as const;

/**
 * Submits POSTs as jobs, one after another. Connections break, workers die at any call, messages come twice,
 * and sweeps send jobs again. Returns what each job has come to.
 */
export async function postsUnderFire(jobs: number) {
  const seen = new Map<string, number>();
  await using target = await targetServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://target');
    if (request.method === 'POST') seen.set(pathname, (seen.get(pathname) ?? 0) + 1);
    const end = searchParams.get('end');
    request.resume().on('end', () => {
      if (end === 'reset') request.socket.resetAndDestroy();
      else if (end === 'half')
        response.writeHead(200, { 'content-length': '9' }).write('half', () => request.socket.destroy());
      else if (end === 'redirect to nowhere')
        response.writeHead(303, { location: 'http://127.0.0.1:1/' }).end();
      else response.writeHead(end === 'error' ? 500 : 200).end('done');
    });
  });
  const fetchPage = chromeFetcher({ allow: [target.host, '127.0.0.1:1'] }, () => Promise.resolve(undefined));
  const outcomes = [];
  for (let n = 0; n < jobs; n += 1) {
    const end = ENDS[n % ENDS.length] ?? 'page';
    const origin = end === 'dead port' ? 'http://127.0.0.1:1' : target.origin;
    const outcome = await life(fetchPage, { url: `${origin}/${n}?end=${encodeURIComponent(end)}`, turn: n });
    outcomes.push({ end, seen: seen.get(`/${n}`) ?? 0, ...outcome });
  }
  return outcomes;
}

type Life = { url: string; turn: number };

async function life(fetchPage: ReturnType<typeof chromeFetcher>, { url, turn }: Life) {
  const { world, service, key } = await newService({ allow: [new URL(url).host] });
  const request = { url, method: 'POST', body: 'amount=1', timeout: 5_000 };
  await service.post(JOBS, key, request);
  // Every call of a worker in turn, with and without the effect of that call.
  const death = { call: 1 + (Math.floor(turn / ENDS.length) % MAX_CALLS), isDone: turn % 2 === 0 };
  const { hasDied: _, ...ports } = mortal({ ...world, fetchPage }, death);
  const dying = serviceOver({ ...ports, web: world.web, pass: world.pass });
  const living = serviceOver({ ...world, fetchPage });
  const ids = world.jobs.all().map(({ id }) => id);
  // A dying worker may throw; SQS then delivers the message again.
  await dying.work([...ids, ...ids]).catch(() => undefined);
  for (let minute = 0; minute < END_MINUTES; minute += 1) {
    await living.work([...ids, ...ids]);
    world.pass(MINUTE_MS);
    await service.sweep();
  }
  const [job] = world.jobs.all();
  if (!job || !isFinished(job)) throw new Error('The job has not ended.');
  const isPage = job.status === 'completed';
  const owed = isPage ? charge(job.request, { status: job.targetStatus, verdict: job.verdict }) : 0;
  const { text } = await service.ask('/api/v1/account', { key });
  const { credits } = JSON.parse(text) as { credits: { granted: number; available: number } };
  return {
    status: job.status,
    code: isPage ? undefined : job.errorCode,
    attempts: job.attempt,
    isChargedRight: credits.granted - credits.available === owed,
    isForgotten: !JSON.stringify(job).includes('amount=1'),
  };
}

/** No POST came twice or was tried again, and nothing is charged or kept that should not be. */
export function expectSentOnce(outcomes: Awaited<ReturnType<typeof postsUnderFire>>): void {
  expect(outcomes.filter(({ seen }) => seen > 1)).toEqual([]);
  expect(outcomes.filter(({ seen, status }) => seen === 0 && status === 'completed')).toEqual([]);
  expect(outcomes.filter(({ isChargedRight, isForgotten }) => !isChargedRight || !isForgotten)).toEqual([]);
  const codes = new Set(outcomes.map(({ code }) => code));
  expect(codes).toEqual(new Set([undefined, 'maybe_sent', 'connect_failed']));
}
