/**
 * `npm run bench:jobs`: three thousand slow jobs of one organization, and an upload of a million lines,
 * through the whole local stack. `--jobs`, `--ms` (a page's time) and `--lines` change them. Fails if a goal
 * is missed.
 */
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readLine } from '../shared/request/read-line.ts';
import { rounded } from './compare.ts';
import { assertMet, atMost, type Goal } from './goals.ts';
import { interleaved, median } from './measure.ts';
import { jsonOf, openStack, repeatedly } from './stack.ts';

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '3000' },
    ms: { type: 'string', default: '2000' },
    lines: { type: 'string', default: '1000000' },
  },
});
const JOBS = '/api/v1/scraper/jobs';
const BATCHES = '/api/v1/scraper/batches';
const [CONCURRENCY, SUBMITS_AT_ONCE, LOOK_MS, MEMORY_MS] = [10, 40, 100, 20_000];
/** In which the slots fill, and are left. */
const EDGE_MS = 3_000;

type Job = { created_at: string; started_at?: string };
type Batch = { batch_id: string; counts: Record<string, number>; upload_url?: string; started_at?: string };

await using stack = await openStack();
const overrides = { concurrency: CONCURRENCY, rpm: 1e6, readsPerMinute: 1e6, credits: 1e9 };
const open = () => stack.organization({ plan: 'business', overrides });
assertMet([...(await backlogGoals(Number(values.jobs))), ...(await uploadGoals(Number(values.lines)))]);

/** How busy the slots are, how long another organization's job waits, and whether memory grows. */
async function backlogGoals(count: number): Promise<Goal[]> {
  const [busy, calm] = [await open(), await open()];
  const organization = await stack.storage.organizations.find(busy.id);
  if (!organization) throw new Error('The organization is gone.');
  const [slots, waits, memory]: [{ at: number; taken: number }[], number[], number[]] = [[], [], []];
  const over = new AbortController();
  const startedAt = performance.now();
  const looking = [
    repeatedly(LOOK_MS, over.signal, async () => {
      const {
        slots: { inUse },
      } = await stack.storage.usage.read(organization, new Date());
      slots.push({ at: performance.now() - startedAt, taken: Object.keys(inUse).length });
    }),
    repeatedly(1_000, over.signal, async () => {
      const answer = await calm.client.post(JOBS, { url: stack.demoSite }, { Prefer: 'wait=60' });
      await answer.body?.cancel();
      const job: Job = await calm.client.job(answer.headers.get('X-Job-Id') ?? '');
      waits.push(Date.parse(job.started_at ?? '') - Date.parse(job.created_at));
    }),
    repeatedly(MEMORY_MS, over.signal, async () => memory.push(await stack.memoryMb('worker'))),
  ];
  const ids = new Set<string>();
  while (ids.size < count) {
    const some = Array.from({ length: Math.min(SUBMITS_AT_ONCE, count - ids.size) }, () =>
      busy.client.submit({ url: `${stack.demoSite}/slow?ms=${values.ms}` }),
    );
    for (const id of await Promise.all(some)) ids.add(id);
  }
  const submittedMs = performance.now() - startedAt;
  let done = 0;
  while (done < count) {
    await setTimeout(5_000);
    const ends = (await stack.logs()).lines.filter(
      ({ message, status, job_id: id }) => message === 'job' && status === 'completed' && ids.has(String(id)),
    );
    done = ends.length;
  }
  const ms = slots.findLast(({ taken }) => taken > 0)?.at ?? 0;
  over.abort();
  await Promise.all(looking);
  const full = slots.filter(({ at }) => at > EDGE_MS && at < ms - EDGE_MS);
  const { lines } = await stack.logs();
  const inVain = lines.filter((line) => 'retry_after' in line && 'message_id' in line).length;
  console.log({ count, seconds: rounded(ms / 1_000), submitted_s: rounded(submittedMs / 1_000), memory });
  const share = full.reduce((sum, { taken }) => sum + taken, 0) / full.length / CONCURRENCY;
  return [
    { name: 'slots that are busy', value: share, atLeast: 0.95 },
    atMost(CONCURRENCY, 'slots at once', Math.max(...slots.map(({ taken }) => taken))),
    atMost(0, 'messages for jobs that then had to wait', inVain),
    atMost(2_000, "longest wait of another organization's job, ms", Math.max(...waits)),
    atMost(
      1.1,
      'memory of a worker, to that after a minute',
      (memory.at(-1) ?? NaN) / (memory[3] ?? memory.at(-1) ?? NaN),
    ),
  ];
}

async function uploadGoals(count: number): Promise<Goal[]> {
  const { client } = await open();
  const line = (n: number) => `{"url":"${stack.demoSite}/slow?ms=200","custom_id":"${n}"}\n`;
  const file = Buffer.from(Array.from({ length: count }, (_, n) => line(n)).join(''));
  const running = await cancelled(({ counts }) => Number(counts['completed']) > 0);
  const reading = await cancelled(({ started_at: at }) => at !== undefined);
  console.log({ count, running, reading });
  return [
    atMost(
      500,
      'memory of a worker that reads an upload, MB',
      Math.max(running.worker_mb, reading.worker_mb),
    ),
    atMost(2_000, 'cancel of an upload whose lines run, ms', running.cancel_ms),
    atMost(2_000, 'cancel of an upload that is read, ms', reading.cancel_ms),
    atMost(10, 'a refused line, to an accepted one', await refusalRatio()),
  ];

  /** Uploads the lines, and cancels them once that is so. */
  async function cancelled(isDue: (batch: Batch) => boolean) {
    let batch = await jsonOf<Batch>(client.post(BATCHES, { input: 'upload' }));
    const put = await fetch(batch.upload_url ?? '', { method: 'PUT', body: file });
    if (!put.ok) throw new Error(`The upload was refused: ${await put.text()}`);
    const path = `${BATCHES}/${batch.batch_id}`;
    await jsonOf(client.post(`${path}/start`, {}));
    const startedAt = performance.now();
    let [worker, readMs] = [0, NaN];
    while (!isDue(batch)) {
      await setTimeout(LOOK_MS);
      worker = Math.max(worker, await stack.memoryMb('worker'));
      batch = await jsonOf<Batch>(client.get(path));
      if (Number.isNaN(readMs) && Number(batch.counts['total']) > 0) readMs = performance.now() - startedAt;
    }
    const before = performance.now();
    await jsonOf(client.post(`${path}/cancel`, {}));
    return { read_ms: readMs, worker_mb: worker, cancel_ms: performance.now() - before };
  }
}

async function refusalRatio(): Promise<number> {
  const [refused, accepted] = ['"rendr_js":true', '"render_js":true'].map((field) => () => {
    const line = `{"url":"https://example.com/",${field}}`;
    for (let n = 0; n < 400; n += 1) readLine(line, { defaults: {}, policy: { allow: [] } });
    return Promise.resolve();
  });
  if (!refused || !accepted) return NaN;
  const [of = [], to = []] = await interleaved([refused, accepted], 15, 5);
  return median(of) / median(to);
}
