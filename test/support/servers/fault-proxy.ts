import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

type Fault = 'none' | 'refused' | 'answer lost' | 'reset' | 'doubled' | 'late' | 'failed' | 'cut' | 'cut off';

const FAULTS: readonly Fault[] = ['refused', 'answer lost', 'reset', 'doubled', 'late'];

/** Faults between the service and its callers. A body is cut like a whole one, or by its connection. */
export const FAULTS_OF_CALLERS: readonly Fault[] = [
  ...(['refused', 'answer lost', 'reset', 'late'] as const),
  ...(['failed', 'cut', 'cut off'] as const),
];

const LATE_MS = 30;

/**
 * A proxy before an emulator with the faults of a network: it loses requests or responses, delays them or
 * sends them twice. The seed decides which; `rate` is their share, 0 to 1.
 */
export async function faultProxy(
  target: string,
  { seed, rate, faults = FAULTS }: { seed: number; rate: number; faults?: readonly Fault[] },
) {
  const draw = randomNumbers(seed);
  const counts = new Map<Fault, number>();
  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch(() => outgoing.destroy());
  });

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const fault = draw() < rate ? (faults[Math.floor(draw() * faults.length)] ?? 'none') : 'none';
    counts.set(fault, (counts.get(fault) ?? 0) + 1);
    if (fault === 'refused') {
      outgoing.destroy();
      return;
    }
    if (fault === 'late') await new Promise((resolve) => setTimeout(resolve, LATE_MS * draw()));
    const first = await forward(incoming, body);
    const answer = fault === 'doubled' ? await forward(incoming, body) : first;
    if (fault === 'answer lost') {
      outgoing.destroy();
      return;
    }
    if (fault === 'reset') {
      outgoing.socket?.resetAndDestroy();
      return;
    }
    if (fault === 'failed') {
      outgoing.writeHead(500, { 'Content-Type': 'text/html' }).end('<h1>Internal Server Error</h1>');
      return;
    }
    if (fault === 'cut' || fault === 'cut off') {
      const { 'content-length': _length, ...headers } = answer.headers;
      outgoing.writeHead(answer.status, headers);
      outgoing.write(answer.body.subarray(0, Math.floor(answer.body.byteLength * draw())), () =>
        fault === 'cut' ? outgoing.end() : outgoing.destroy(),
      );
      return;
    }
    outgoing.writeHead(answer.status, answer.headers);
    outgoing.end(answer.body);
  }

  async function forward({ method, url, headers }: IncomingMessage, body: Buffer) {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    request(new URL(url ?? '/', target), { method, headers }, resolve)
      .once('error', reject)
      .end(body);
    const response = await promise;
    return { status: response.statusCode ?? 500, headers: response.headers, body: await buffer(response) };
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Requests by the fault that they met. */
    counts,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Mulberry32: small, and the same numbers for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
