import { once } from 'node:events';
import { request } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import type { EgressPolicy } from '../../../shared/egress/decide.ts';
import { openGuard, type Guard } from '../../../shared/egress/guard.ts';

const LINK_LOCAL = '169.254.169.254:80';
const TIMEOUT_MS = 2_000;

/** Throws unless the guard refuses loopback, link-local and the Lambda Runtime API (`host:port`). */
export async function assertSealed(policy: EgressPolicy, runtimeApi?: string): Promise<void> {
  const listener = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n')).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  await using guard = await openGuard(policy);
  try {
    const loopback = `127.0.0.1:${(listener.address() as AddressInfo).port}`;
    for (const target of [loopback, LINK_LOCAL, ...(runtimeApi === undefined ? [] : [runtimeApi])]) {
      const isOpen = (await answers(guard, 'CONNECT', target)) || (await answers(guard, 'GET', target));
      // A closed port is not enough: it may open later.
      const isRefused = guard.faultOf(`http://${target}/`)?.code === 'url_not_allowed';
      if (isOpen || !isRefused) throw new Error(`The egress guard lets pages reach ${target}.`);
    }
  } finally {
    listener.close();
  }
}

async function answers(guard: Guard, method: 'CONNECT' | 'GET', target: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const path = method === 'CONNECT' ? target : `http://${target}/`;
  const headers = { host: target };
  const asked = request(guard.url, { method, path, headers, agent: false, timeout: TIMEOUT_MS });
  asked.on('connect', ({ statusCode }) => resolve(statusCode === 200));
  asked.on('response', () => resolve(true));
  asked.on('timeout', () => asked.destroy());
  asked.on('close', () => resolve(false));
  asked.on('error', () => resolve(false));
  asked.end();
  return promise.finally(() => asked.destroy());
}
