import { rounded } from './compare.ts';
import { percentile } from './measure.ts';
import { PAGES } from './pages/pages.ts';
import { type WorkerEnvironment, workerEnvironment } from './worker-environment.ts';

const BATCH = 10;
/** Rounds until the code is compiled. */
const WARM_UP = 40;

/** Throughput of one worker environment, batch after batch. */
export async function workerRow(assembly: string, origin: string, batches: number) {
  await using worker = await workerEnvironment({ assembly, allow: [new URL(origin).host] });
  const urls = Array.from({ length: BATCH }, () => origin + PAGES.medium.path);
  for (let batch = 0; batch < WARM_UP; batch += 1) await runBatch(worker, urls);
  const before = await worker.probe();
  worker.lines.length = 0;
  const times: number[] = [];
  for (let batch = 0; batch < batches; batch += 1) times.push(await runBatch(worker, urls));
  const after = await worker.probe();
  const ms = times.reduce((sum, each) => sum + each, 0);
  const phases = worker.phases();
  const spent = (phase: string) =>
    rounded(
      percentile(
        phases.map((each) => each[phase] ?? NaN),
        0.5,
      ),
    );
  return {
    jobs_per_second: rounded((batches * BATCH * 1_000) / ms),
    cpu_ms_per_job: rounded((after.cpu_ms - before.cpu_ms) / (batches * BATCH)),
    batch_p50_ms: rounded(percentile(times, 0.5)),
    admission_ms: spent('admission'),
    fetch_ms: spent('fetch'),
    store_ms: spent('store'),
    settle_ms: spent('settle'),
    longest_turn_ms: rounded(after.longest_turn_ms),
    rss_mb: rounded(after.rss_mb),
  };
}

/** Milliseconds of a batch whose jobs exist already. */
export async function runBatch(
  { accept, work }: WorkerEnvironment,
  urls: readonly string[],
): Promise<number> {
  const ids = await Promise.all(urls.map((url) => accept({ url })));
  const startedAt = performance.now();
  const left = await work(ids);
  if (left.length > 0) throw new Error(`Jobs are left: ${left.join()}`);
  return performance.now() - startedAt;
}
