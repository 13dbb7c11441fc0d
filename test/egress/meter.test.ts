import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { openMeter } from '../../shared/egress/meter.ts';
import { rawServer } from '../support/target-server.ts';

const LIMITS = { maxBytes: 1_000_000, maxIdleMs: 60_000, maxAgeMs: 60_000 };

test.each([
  ['is idle', { ...LIMITS, maxIdleMs: 30 }, 'timeout', () => undefined],
  ['is too old, however busy', { ...LIMITS, maxAgeMs: 30 }, 'timeout', () => undefined],
  ['brings too much', { ...LIMITS, maxBytes: 10 }, 'response_too_large', () => 'twelve bytes'],
])('a connection that %s is ended and its end explained', async (_, limits, reason, greeting) => {
  await using target = await rawServer((socket) => socket.write(greeting() ?? ' '));
  const socket = connect(target.port, '127.0.0.1');
  const meter = openMeter(limits);
  let seen = '';
  meter.add(socket, (limit) => (seen = limit));
  await once(socket, 'close');
  expect(seen).toBe(reason);
});
