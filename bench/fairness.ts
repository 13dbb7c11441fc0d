/**
 * `npm run bench:fairness`: how long the calls of one organization take while another one does its worst, on
 * the local stack. `-- --only submits` measures the rows whose name contains the word, `--seconds` sets how
 * long. Fails if a call at the 95th percentile takes more than twice as long.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { rounded } from './compare.ts';
import { interleaved, percentile } from './measure.ts';
import { jsonOf, openStack, repeatedly } from './stack.ts';

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, seconds: { type: 'string', default: '20' } },
});
const [WARM_UP, PAUSE_MS, CALLERS, READERS] = [30, 50, 60, 120];
/** Slow readers are cut off within seconds, so their worst is at the beginning. Then it has to end. */
const [BEGIN_MS, END_MS] = [3_000, 5_000];
const MAX_RATIO = 2;
/** Two cores share the work of both: less than this says nothing. */
const NOISE_MS = 100;
const JOBS = '/api/v1/scraper/jobs';
const BATCHES = '/api/v1/scraper/batches';
const NIL = '00000000-0000-7000-8000-000000000000';
/** The longest URLs that make a job with its view long. */
const LONG = 'q'.repeat(7_900);

await using stack = await openStack();
type Party = Awaited<ReturnType<typeof stack.organization>>;
/** What one organization does at its worst until the signal aborts, and a call of another one meanwhile. */
type Row = {
  worst: (busy: Party, signal: AbortSignal, path: string) => Promise<unknown>;
  probe: (calm: Party) => Promise<unknown>;
  /** Made before anything is measured: the path that `worst` reads. */
  prepare?: (busy: Party) => Promise<string>;
};

const whole = async (asked: Promise<Response>) => {
  const answer = await asked;
  await answer.arrayBuffer();
  return answer;
};
const lookAtJob: Row['probe'] = ({ client }) => whole(client.get(`${JOBS}/${NIL}`));
const lookAtBatch: Row['probe'] = ({ client }) => whole(client.get(`${BATCHES}/${NIL}`));
const showAccount: Row['probe'] = ({ client }) => whole(client.get('/api/v1/account'));
const scrape: Row['probe'] = ({ client }) => whole(client.scrape({ url: stack.demoSite }));
const readersOf =
  (path: string): Row['worst'] =>
  (busy, signal) =>
    slowReaders(busy, signal, path);
const large = `${stack.demoSite}/big?mb=20`;

const rows: Readonly<Record<string, Row>> = {
  'submits that wait for a page that hangs': { worst: waitingSubmits, probe: lookAtJob },
  'slow readers of lists with long URLs': {
    prepare: longBatch,
    worst: readersOf(`${JOBS}?limit=100`),
    probe: lookAtJob,
  },
  'slow readers of a large result': { prepare: largeResult, worst: slowReaders, probe: lookAtJob },
  "slow readers of a batch's results": { prepare: longBatch, worst: slowReaders, probe: lookAtBatch },
  'slow readers of large pages': {
    worst: readersOf(`/api/v1/scraper?url=${encodeURIComponent(large)}`),
    probe: scrape,
  },
  'slow readers of activity with long URLs': {
    prepare: longBatch,
    worst: readersOf('/api/v1/account/activity?limit=100'),
    probe: showAccount,
  },
  'slow readers of the documentation': { worst: readersOf('/openapi.json'), probe: showAccount },
};
const measured = [];
for (const [name, row] of Object.entries(rows))
  if (name.includes(values.only)) measured.push(await measure(name, row));
console.table(measured);
if (measured.some(({ isFair }) => !isFair)) process.exitCode = 1;

async function measure(name: string, { prepare, worst, probe }: Row) {
  const [busy, calm] = [
    await stack.organization({ plan: 'free' }),
    await stack.organization({ plan: 'business' }),
  ];
  const path = (await prepare?.(busy)) ?? '';
  await interleaved([() => probe(calm)], 0, WARM_UP);
  const quiet = await times(() => probe(calm));
  const over = new AbortController();
  const going = worst(busy, over.signal, path);
  await setTimeout(BEGIN_MS);
  const beside = await times(() => probe(calm));
  over.abort();
  await Promise.race([going, setTimeout(END_MS)]);
  const [before, after] = [percentile(quiet, 0.95), percentile(beside, 0.95)];
  return {
    'while another one has': name,
    quiet_p50_ms: rounded(percentile(quiet, 0.5)),
    quiet_p95_ms: rounded(before),
    p50_ms: rounded(percentile(beside, 0.5)),
    p95_ms: rounded(after),
    ratio: rounded(after / before),
    isFair: after <= Math.max(MAX_RATIO * before, before + NOISE_MS),
  };
}

/** Milliseconds of each call, one after another. */
async function times(call: () => Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  await repeatedly(PAUSE_MS, AbortSignal.timeout(Number(values.seconds) * 1_000), async () => {
    const startedAt = performance.now();
    await call();
    taken.push(performance.now() - startedAt);
  });
  return taken;
}

/** Two hundred requests with long URLs. Returns the path of their results. */
async function longBatch({ client }: Party): Promise<string> {
  const requests = Array.from({ length: 200 }, (_, n) => ({ url: `${stack.demoSite}/missing/${n}/${LONG}` }));
  const { batch_id: id } = await jsonOf<{ batch_id: string }>(client.post(BATCHES, { requests }));
  const status = async () => (await jsonOf<{ status: string }>(client.get(`${BATCHES}/${id}`))).status;
  while ((await status()) === 'running') await setTimeout(500);
  return `${BATCHES}/${id}/results`;
}

async function largeResult({ client }: Party): Promise<string> {
  const id = await client.submit({ url: large });
  while ((await client.job(id)).status !== 'completed') await setTimeout(200);
  return `${JOBS}/${id}/result`;
}

/** So many callers, each with its next call after its last one. A refused one waits as long as it should. */
async function waitingSubmits({ client }: Party, signal: AbortSignal): Promise<void> {
  const request = { url: `${stack.demoSite}/slow?ms=100000`, timeout: 120_000 };
  const call = async () => {
    const answer = await whole(client.post(JOBS, request, { Prefer: 'wait=60' })).catch(() => undefined);
    const seconds = answer?.status === 429 ? Number(answer.headers.get('Retry-After')) : 0;
    await setTimeout(seconds * 1_000, undefined, { signal }).catch(() => undefined);
  };
  await Promise.all(Array.from({ length: CALLERS }, () => repeatedly(0, signal, call)));
}

/** Connections that request a path and read nothing, again once they are cut off. */
async function slowReaders({ key }: Party, signal: AbortSignal, path: string): Promise<void> {
  const { hostname, port } = new URL(stack.baseUrl);
  const head = [`GET ${path} HTTP/1.1`, 'Host: bench', `Authorization: Bearer ${key}`, 'Connection: close'];
  const read = async () => {
    const socket = connect(Number(port), hostname)
      .on('error', () => undefined)
      .pause();
    const stop = () => socket.destroy();
    signal.addEventListener('abort', stop);
    socket.write(`${[...head, 'Accept-Encoding: identity'].join('\r\n')}\r\n\r\n`);
    await once(socket, 'close');
    signal.removeEventListener('abort', stop);
  };
  await Promise.all(Array.from({ length: READERS }, () => repeatedly(1_000, signal, read)));
}
