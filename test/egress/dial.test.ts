import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { dial } from '../../shared/egress/dial.ts';
import { rawServer } from '../support/servers/target-server.ts';

const NEVER = new AbortController().signal;

/** Accepts no connection, so that the kernel drops packets once the backlog is full. */
const LISTENER = `
  const { createServer } = require('node:net');
  const { parentPort } = require('node:worker_threads');
  const server = createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;

/** A loopback port that drops packets like a firewall. */
async function blackHole() {
  const listener = new Worker(LISTENER, { eval: true });
  const [port] = (await once(listener, 'message')) as [number];
  // Linux queues one connection more than the backlog.
  const queued = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  await Promise.all(queued.map((socket) => once(socket, 'connect')));
  return {
    port,
    async [Symbol.asyncDispose]() {
      queued.forEach((socket) => socket.destroy());
      await listener.terminate();
    },
  };
}

test('a host that drops packets is connect_failed after the connect timeout', async () => {
  await using host = await blackHole();
  const startedAt = performance.now();
  await expect(dial({ addresses: ['127.0.0.1'], port: host.port }, NEVER, 200)).rejects.toMatchObject({
    code: 'connect_failed',
  });
  expect(performance.now() - startedAt).toBeGreaterThan(190);
});

test('a connect ends at once when its signal aborts', async () => {
  await using host = await blackHole();
  const startedAt = performance.now();
  const deadline = AbortSignal.timeout(50);
  await expect(dial({ addresses: ['127.0.0.1'], port: host.port }, deadline, 10_000)).rejects.toMatchObject({
    code: 'connect_failed',
  });
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

test('the next address is tried when the first one refuses', async () => {
  await using target = await rawServer((socket) => socket.end('here'));
  const socket = await dial({ addresses: ['127.0.0.9', '127.0.0.1'], port: target.port }, NEVER);
  expect(await text(socket)).toBe('here');
});
