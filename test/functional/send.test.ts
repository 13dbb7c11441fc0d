import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { scheduler } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { send } from '../../shared/http/send.ts';

const MB = 1_000_000;
const page = Buffer.alloc(MB, 'page ');
const IMPATIENT = { endsInMs: 60_000, minThroughput: { bytesPerSecond: 1e9, graceMs: 50 } };
const SHORT = { endsInMs: 50, minThroughput: { bytesPerSecond: 1, graceMs: 60_000 } };

test.each([
  ['bytes', page],
  ['text', 'page '.repeat(100_000)],
  ['empty', ''],
  ['a stream', () => Readable.from([page, page])],
])('a whole body is sent if it is %s', async (_, given) => {
  const body = typeof given === 'function' ? given() : given;
  const expected = typeof given === 'function' ? Buffer.concat([page, page]) : Buffer.from(given);
  const stream = new PassThrough();
  const [taken] = await Promise.all([buffer(stream), send(stream, body, { endsInMs: 60_000 })]);
  expect(taken.equals(expected)).toBe(true);
});

test('a reader is disconnected when it reads nothing', async () => {
  const stream = new PassThrough();
  await expect(send(stream, page, IMPATIENT)).rejects.toMatchObject({ name: 'SlowReader' });
  expect(stream.destroyed).toBe(true);
});

test('a reader is disconnected when it leaves only the end unread', async () => {
  const stream = new PassThrough({ highWaterMark: 2 * MB });
  await expect(send(stream, page, IMPATIENT)).rejects.toMatchObject({ name: 'SlowReader' });
});

test('a reader is disconnected when it is still reading at the end of the function', async () => {
  const stream = new PassThrough();
  await expect(send(stream, page, SHORT)).rejects.toMatchObject({ name: 'SlowReader' });
});

test('a reader is disconnected when it closes the connection', async () => {
  const stream = new PassThrough();
  const sending = send(stream, page, { endsInMs: 60_000 });
  stream.destroy();
  await expect(sending).rejects.toThrow('closed');
});

test('a source that never ends is abandoned at the end of the function', async () => {
  const stream = new PassThrough();
  stream.resume();
  const source = new PassThrough();
  await expect(send(stream, source, SHORT)).rejects.toMatchObject({ name: 'SlowReader' });
  expect(source.destroyed).toBe(true);
});

test('the time taken by the source does not count as the time of the reader', async () => {
  const slowly = async function* () {
    for (let n = 0; n < 4; n++) {
      await scheduler.wait(30);
      yield page;
    }
  };
  const stream = new PassThrough();
  const minThroughput = { bytesPerSecond: 1e9, graceMs: 50 };
  const [taken] = await Promise.all([
    buffer(stream),
    send(stream, Readable.from(slowly()), { endsInMs: 60_000, minThroughput }),
  ]);
  expect(taken.byteLength).toBe(4 * MB);
});

test('a body that fails is cut off instead of ended', async () => {
  const failing = async function* () {
    yield page;
    await Promise.reject(new Error('the store is gone'));
  };
  const stream = new PassThrough();
  stream.resume().on('error', () => undefined);
  await expect(send(stream, Readable.from(failing()), { endsInMs: 60_000 })).rejects.toThrow('store is gone');
  expect([stream.destroyed, stream.writableEnded]).toEqual([true, false]);
});
