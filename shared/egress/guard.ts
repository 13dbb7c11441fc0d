import { setMaxListeners, once } from 'node:events';
import type { Socket, AddressInfo } from 'node:net';
import type { TimeoutPhase } from '../contract/error-body.ts';
import { AppError, toAppError } from '../errors.ts';
import type { EgressPolicy } from './decide.ts';
import { openDocumentBodies } from './document-bodies.ts';
import { type Dialler, openDialler } from './dialler.ts';
import { type ProxyTarget, portOf, type HostAndPort } from './read-target.ts';
import { type Traffic, watchTraffic } from './traffic.ts';
import { createProxy, type Way } from './proxy.ts';

/** The only way out: an HTTP proxy on loopback that judges every connection at the address it dials. */
export type Guard = Pick<Dialler, 'goThrough' | 'setHostFilter'> & {
  url: string;
  /** Lets clients in, when the scrape that it is for begins. */
  begin: () => void;
  /** Why the last connection to that origin failed or was refused. */
  faultOf: (url: string) => AppError | undefined;
  phaseOf: (url: string) => TimeoutPhase;
  /** Whether the compression of a document without TLS ended early, or has a wrong checksum. */
  isTruncated: (url: string) => Promise<boolean>;
  bytes: () => number;
  close: () => Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

/** Created once: capturing a stack is slow. */
const CLOSED = new Error('The guard is closed.');

type State = {
  dialler: Dialler;
  faults: Faults;
  progress: ConnectProgress;
  traffic: Traffic;
  closing: AbortSignal;
};

export async function openGuard(policy: EgressPolicy): Promise<Guard> {
  const guard = await prepareGuard(policy);
  guard.begin();
  return guard;
}

/**
 * A guard that nobody on this machine can use before it begins: it has no password. For a browser it keeps
 * the encoded documents, which the browser would not judge.
 */
export async function prepareGuard(policy: EgressPolicy, isForBrowser = false): Promise<Guard> {
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  const [faults, progress, traffic] = [openFaults(), openProgress(), watchTraffic()];
  const dialler = openDialler(policy, closing.signal);
  const state: State = { dialler, faults, progress, traffic, closing: closing.signal };
  const documents = openDocumentBodies(closing.signal);
  const { port, accept, closeServer } = await listenOnLoopback({
    open: (target, client) => open(state, port, target, client),
    onFault: (target, cause) => faults.record(target, new AppError('bad_upstream_response', { cause })),
    ...(isForBrowser && { onResponse: documents.watch }),
  });

  async function close() {
    closing.abort(CLOSED);
    traffic.close();
    await closeServer();
  }
  return {
    url: `http://127.0.0.1:${port}`,
    begin: accept,
    faultOf: (url) => faults.of(url),
    phaseOf: (url) => progress.phaseOf(url),
    isTruncated: documents.isTruncated,
    goThrough: dialler.goThrough,
    setHostFilter: dialler.setHostFilter,
    bytes: () => traffic.bytes(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function open(state: State, port: number, target: ProxyTarget, client: Socket): Promise<Socket> {
  const { dialler, faults, progress, traffic, closing } = state;
  try {
    progress.enter(target, 'dns');
    const verdict = await dialler.judge(target, port);
    if (traffic.isFull()) throw new AppError('response_too_large');
    progress.enter(target, 'connect');
    const socket = await dialler.connect(target, verdict);
    progress.enter(target, socket);
    faults.clear(target);
    traffic.add(socket, (code) => {
      faults.record(target, new AppError(code));
      client.destroy();
    });
    if (closing.aborted) socket.destroy();
    return socket;
  } catch (error) {
    faults.record(target, toAppError(error));
    throw error;
  }
}

/** The last fault of each origin, which would otherwise look like a page. */
type Faults = {
  record: (target: HostAndPort, fault: AppError) => void;
  clear: (target: HostAndPort) => void;
  of: (url: string) => AppError | undefined;
};

function openFaults(): Faults {
  const faults = new Map<string, AppError>();
  return {
    record: ({ host, port }, fault) => {
      const [oldest] = faults.keys();
      if (faults.size >= MAX_ORIGINS && oldest !== undefined) faults.delete(oldest);
      faults.set(`${host}:${port}`, fault);
    },
    clear: ({ host, port }) => void faults.delete(`${host}:${port}`),
    of: (text) => {
      const url = URL.parse(text);
      return url ? faults.get(`${url.hostname}:${portOf(url)}`) : undefined;
    },
  };
}

type Listening = { port: number; accept: () => void; closeServer: () => Promise<void> };

/** The proxy on a free port. It drops every client until `accept`; closing it ends its connections. */
async function listenOnLoopback(way: Way): Promise<Listening> {
  const proxy = createProxy(way);
  const { maxConnections } = proxy;
  proxy.maxConnections = 0;
  const clients = new Set<Socket>();
  proxy.on('connection', (client) => clients.add(client.once('close', () => clients.delete(client))));
  proxy.listen(0, '127.0.0.1');
  // An idle guard must not keep the process alive.
  await once(proxy.unref(), 'listening');
  const { port } = proxy.address() as AddressInfo;
  async function closeServer() {
    clients.forEach((client) => client.destroy());
    await new Promise((done) => proxy.close(done));
  }
  return { port, accept: () => void (proxy.maxConnections = maxConnections), closeServer };
}

/** How far the last connection to each origin has come. */
type ConnectProgress = {
  /** The phase begins; with a socket, once it is connected. */
  enter: (target: ProxyTarget, step: 'dns' | 'connect' | Socket) => void;
  phaseOf: (url: string) => TimeoutPhase;
};

/** A page may name any number of hosts. */
const MAX_ORIGINS = 1_000;

/** The progress of one scrape; the oldest origin is forgotten when a page names too many. */
function openProgress(): ConnectProgress {
  const steps = new Map<string, () => TimeoutPhase>();
  return {
    enter: (target, step) => {
      const [oldest] = steps.keys();
      if (steps.size >= MAX_ORIGINS && oldest !== undefined) steps.delete(oldest);
      const isTunnel = target.path === '';
      // The server's part of the handshake arrives in one flight.
      steps.set(keyOf(target), () => {
        if (typeof step === 'string') return step;
        return isTunnel && step.bytesRead === 0 ? 'tls' : 'first_byte';
      });
    },
    phaseOf: (text) => {
      const url = URL.parse(text);
      return (url && steps.get(keyOf({ host: url.hostname, port: portOf(url) }))?.()) ?? 'connect';
    },
  };
}

const keyOf = ({ host, port }: HostAndPort) => `${host}:${port}`;
