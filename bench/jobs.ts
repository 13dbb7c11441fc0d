import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { readFunctionLogs } from '../local/function-logs.ts';
import { rounded } from './compare.ts';
import type { LocalService } from './contenders/service.ts';
import { percentile } from './measure.ts';
import { type BenchPage, PAGES } from './pages/pages.ts';

const DEADLINE_MS = 90_000;
/** More than the workers take at once, so that they never wait. */
const CLIENTS = 30;
const LOOK_MS = 200;
const DoneLine = z.object({
  function: z.literal('worker'),
  job_id: z.string(),
  status: z.literal('completed'),
  phases: z.object({ queue: z.number() }),
});

/** Jobs a second from the first submit to the last end. */
export async function jobsPerSecond(service: LocalService, counts: { plain: number; rendered: number }) {
  return {
    plain: await rate(service, PAGES.medium, false, counts.plain),
    rendered: await rate(service, PAGES.spa, true, counts.rendered),
  };
}

/** The wait for a worker when all jobs are submitted at once. */
export async function queueWait(service: LocalService, count: number) {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const startedAt = performance.now();
  const submits = Array.from({ length: count }, () => service.submit(PAGES.medium, false));
  const ids = new Set((await Promise.all(submits)).map(({ job_id }) => job_id));
  const submittedMs = performance.now() - startedAt;
  // Read from the log: hundreds of polling clients would distort the result.
  let waits: number[] = [];
  while (waits.length < count) {
    await setTimeout(LOOK_MS, undefined, { signal });
    const done = (await readFunctionLogs(service.logs)).lines.flatMap(
      (line) => DoneLine.safeParse(line).data ?? [],
    );
    waits = done.filter(({ job_id }) => ids.has(job_id)).map(({ phases }) => phases.queue);
  }
  return {
    jobs: count,
    submitted_ms: rounded(submittedMs),
    queue_p50_ms: rounded(percentile(waits, 0.5)),
    queue_p95_ms: rounded(percentile(waits, 0.95)),
  };
}

async function rate(
  { job }: LocalService,
  page: BenchPage,
  renderJs: boolean,
  count: number,
): Promise<number> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const startedAt = performance.now();
  let left = count;
  const client = async () => {
    while (left-- > 0) await job(page, renderJs, signal);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return rounded((count / (performance.now() - startedAt)) * 1_000);
}
