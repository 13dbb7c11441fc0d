import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type RequestListener, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { release } from 'node:os';
import { getgroups, getuid } from 'node:process';
import type { Log } from '../../../shared/observe/log.ts';
import { described } from '../../../shared/observe/redacted.ts';
import type { Count } from '../../../shared/ports/effects.ts';
import { untilAborted } from '../../../shared/time/until-aborted.ts';
import { type Processes, chromiumFlags } from './chromium-flags.ts';
import { type Isolate, discard, dispose, openIsolate } from './isolates.ts';

type Options = {
  chromiumDir: string;
  wanted: Processes;
  log: Pick<Log, 'info' | 'warn'>;
  count: Count;
  /** On the clock of `performance.now()`. */
  deadline?: number;
};

type Times = { launch?: number; page?: number };
type Faults = Partial<Record<Processes, string>>;

/**
 * Lambda ends an init after 10 s, repeats it within the first invocation, and bills both. Milliseconds since
 * the start of the process. https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html
 */
export const INIT_DEADLINE_MS = 9_000;

/** Chromium writes this where its child processes cannot start: it may then continue, and hang. */
const NO_CHILDREN = /PR_SET_NO_NEW_PRIVS/;

const PROOF = 'rendered';
const PAGE = `<!doctype html><script>
proof = new Promise((resolve) => setTimeout(resolve, 10)).then(() => fetch('/proof')).then((response) => response.text());
</script>`;

const site: RequestListener = ({ url }, response) =>
  url === '/proof' ? response.end(PROOF) : response.writeHead(200, { 'Content-Type': 'text/html' }).end(PAGE);

/**
 * Renders a test page in the preferred process model, and in the other if Chromium fails. A slow start, as
 * after a deployment, proves nothing, so it keeps the model.
 * Undefined if neither works.
 */
export async function proveStart(options: Options): Promise<Processes | undefined> {
  const { wanted } = options;
  const faults: Faults = {};
  const ms: Partial<Record<Processes, Times>> = {};
  for (const processes of [wanted, wanted === 'one' ? 'many' : 'one'] as const) {
    const times = (ms[processes] = {});
    const fault = await faultOf(() => renderProof(options, processes, times));
    if (fault) faults[processes] = described(fault);
    if (fault && !isSlow(fault)) continue;
    await report(options, processes, { faults, ms });
    return processes;
  }
  await report(options, undefined, { faults, ms });
  return undefined;
}

type Outcome = { faults: Faults; ms: Partial<Record<Processes, Times>> };

async function report(
  { wanted, log, count }: Options,
  works: Processes | undefined,
  { faults, ms }: Outcome,
): Promise<void> {
  const fields = { wanted, works, ms, init_ms: Math.round(performance.now()) };
  if (works !== wanted) count(works ? 'BrowserFallback' : 'BrowserUnusable', 1);
  if (Object.keys(faults).length === 0) log.info('browser_start', fields);
  else {
    const flags = chromiumFlags({ proxyUrl: '', profile: '', processes: wanted });
    log.warn('browser_start', { ...fields, faults, flags, limits: await sandboxLimits() });
  }
}

const faultOf = (work: () => Promise<void>): Promise<Error | undefined> =>
  work().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );

/** Whether Chromium was neither seen to end nor to fail. */
function isSlow(fault: Error): boolean {
  const { cause } = fault;
  const timedOut = [fault, cause].some((each) => each instanceof Error && /^(Abort|Timeout)/.test(each.name));
  return timedOut && !NO_CHILDREN.test(fault.message);
}

async function renderProof(
  { chromiumDir, deadline = INIT_DEADLINE_MS }: Options,
  processes: Processes,
  times: Times,
): Promise<void> {
  const left = () => Math.max(1, Math.round(deadline - performance.now()));
  const server = createServer(site).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const options = { chromiumDir, processes, timeoutMs: left(), fatal: NO_CHILDREN };
    const isolate = await timed(times, 'launch', () => openIsolate({ allow: [host] }, options));
    isolate.guard.begin();
    try {
      const visited = () => untilAborted(visit(isolate, `http://${host}/`), AbortSignal.timeout(left()));
      await timed(times, 'page', visited);
    } catch (cause) {
      const words = await isolate.browser.wrote();
      await discard(isolate);
      throw new Error(`Chromium did not render. It wrote: ${words || 'nothing'}`, { cause });
    }
    await dispose(isolate);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function timed<T>(times: Times, step: keyof Times, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  try {
    return await work();
  } finally {
    times[step] = Math.round(performance.now() - startedAt);
  }
}

async function visit({ browser }: Isolate, url: string): Promise<void> {
  const { session } = browser.tab;
  const loaded = Promise.withResolvers<unknown>();
  session.once('Page.loadEventFired', loaded.resolve);
  session.on('Fetch.requestPaused', ({ requestId }) => {
    session.send('Fetch.continueRequest', { requestId }).catch(loaded.reject);
  });
  browser.gone.addEventListener('abort', () => loaded.reject(new Error('The browser died.')));
  const navigated = session.send('Page.navigate', { url }).then(({ errorText }) => {
    if (errorText) throw new Error(`The page did not load: ${errorText}`);
  });
  // Together, since a browser that dies fails both.
  await Promise.all([navigated, loaded.promise]);
  const { result } = await session.send('Runtime.evaluate', { expression: 'proof', awaitPromise: true });
  if (result.value !== PROOF) throw new Error(`The page gave ${JSON.stringify(result.value)}.`);
}

const STATUS = /^(CapEff|NoNewPrivs|Seccomp|Seccomp_filters|Threads):/;
const LIMITS = /^Max (processes|open files|address space|core file size) /;
const MOUNTS = /^\S+ (\/|\/tmp|\/dev|\/dev\/shm|\/proc|\/opt) /;

/** The limits that explain why Chromium failed to start. */
async function sandboxLimits(): Promise<Record<string, unknown>> {
  const [status, limits, mounts] = await Promise.all([
    linesOf('/proc/self/status', STATUS),
    linesOf('/proc/self/limits', LIMITS),
    linesOf('/proc/self/mounts', MOUNTS),
  ]);
  return { kernel: release(), uid: getuid?.(), groups: getgroups?.(), status, limits, mounts };
}

async function linesOf(path: string, pattern: RegExp): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => pattern.test(line))
    .map((line) => line.replaceAll(/\s+/g, ' ').trim());
}
