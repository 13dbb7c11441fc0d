import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { watchTraffic } from '../../shared/egress/traffic.ts';
import { rawServer } from '../support/servers/target-server.ts';

const LIMITS = { maxBytes: 1_000_000, maxIdleMs: 60_000, maxAgeMs: 60_000 };

/** Writes a word every 5 ms while the socket is open. */
function chatter(socket: Socket): void {
  const talking = setInterval(() => socket.write('word'), 5);
  socket.once('close', () => clearInterval(talking));
}

test.each([
  ['is idle', { ...LIMITS, maxIdleMs: 30 }, 'timeout', (socket: Socket) => void socket.write('word')],
  ['is busy but too old', { ...LIMITS, maxIdleMs: 1_000, maxAgeMs: 100 }, 'timeout', chatter],
  ['receives too much', { ...LIMITS, maxBytes: 10 }, 'response_too_large', chatter],
])('a connection that %s is ended with an error code', async (_, limits, reason, talk) => {
  await using target = await rawServer(talk);
  const socket = connect(target.port, '127.0.0.1');
  const traffic = watchTraffic(limits);
  let seen = '';
  traffic.add(socket, (limit) => (seen = limit));
  await once(socket, 'close');
  expect(seen).toBe(reason);
});

test('a connection that receives too much is ended soon', async () => {
  await using target = await rawServer((socket) => {
    const pour = () => {
      while (socket.write(Buffer.alloc(65_536)));
    };
    socket.on('drain', pour).on('error', () => undefined);
    pour();
  });
  const socket = connect(target.port, '127.0.0.1');
  const traffic = watchTraffic({ ...LIMITS, maxBytes: 100_000 });
  traffic.add(socket, () => undefined);
  await once(socket, 'close');
  expect(socket.bytesRead).toBeLessThan(2_000_000);
  traffic.close();
});

test('a connection that sends too much is ended', async () => {
  await using target = await rawServer((socket) => void socket.resume());
  const socket = connect(target.port, '127.0.0.1');
  const traffic = watchTraffic(LIMITS);
  let seen = '';
  traffic.add(socket, (limit) => (seen = limit));
  socket.write(Buffer.alloc(LIMITS.maxBytes + 1));
  await once(socket, 'close');
  expect([seen, traffic.isFull()]).toEqual(['response_too_large', true]);
  traffic.close();
});
