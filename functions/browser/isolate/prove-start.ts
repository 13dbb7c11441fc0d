import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from '../../../shared/observe/log.ts';
import { described } from '../../../shared/observe/redacted.ts';
import type { Count } from '../../../shared/ports.ts';
import { untilAborted } from '../../../shared/time/until-aborted.ts';
import { chromiumFlags, type Processes } from './chromium-flags.ts';
import { discard, dispose, type Isolate, openIsolate } from './isolates.ts';
import { sandboxLimits } from './sandbox-limits.ts';

type Options = {
  chromiumDir: string;
  wanted: Processes;
  log: Pick<Log, 'warn'>;
  count: Count;
};

const LAUNCH_TIMEOUT_MS = 5_000;
const PAGE_TIMEOUT_MS = 3_000;
const PROOF = 'rendered';
const PAGE = `<!doctype html><script>
proof = new Promise((resolve) => setTimeout(resolve, 10)).then(() => fetch('/proof')).then((response) => response.text());
</script>`;

const site: RequestListener = ({ url }, response) =>
  url === '/proof' ? response.end(PROOF) : response.writeHead(200, { 'Content-Type': 'text/html' }).end(PAGE);

/** Renders a test page in the wanted process model, then the other. Undefined if neither works. */
export async function proveStart({
  chromiumDir,
  wanted,
  log,
  count,
}: Options): Promise<Processes | undefined> {
  const faults: Partial<Record<Processes, string>> = {};
  const report = async (works: Processes | undefined) => {
    count(works ? 'BrowserFallback' : 'BrowserUnusable', 1);
    const flags = chromiumFlags({ proxyUrl: '', profile: '', processes: wanted });
    log.warn('browser_start', { wanted, works, faults, flags, limits: await sandboxLimits() });
  };
  for (const processes of [wanted, wanted === 'one' ? 'many' : 'one'] as const) {
    try {
      await renderProof(chromiumDir, processes);
      if (processes !== wanted) await report(processes);
      return processes;
    } catch (error) {
      faults[processes] = described(error);
    }
  }
  await report(undefined);
  return undefined;
}

async function renderProof(chromiumDir: string, processes: Processes): Promise<void> {
  const server = createServer(site).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const options = { chromiumDir, processes, timeoutMs: LAUNCH_TIMEOUT_MS };
    const isolate = await openIsolate({ allow: [host] }, options);
    try {
      await untilAborted(visit(isolate, `http://${host}/`), AbortSignal.timeout(PAGE_TIMEOUT_MS));
    } catch (error) {
      await discard(isolate);
      throw error;
    }
    await dispose(isolate);
  } finally {
    server.closeAllConnections();
    server.close();
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
