import { Readable, type Writable } from 'node:stream';
import type { Reply } from './reply.ts';

/** The least pace of a reader: an average from the first byte on, checked after `graceMs`. */
export type MinThroughput = { bytesPerSecond: number; graceMs: number };

/** A slower reader is cut off, because it occupies a function. */
export const MIN_THROUGHPUT: MinThroughput = { bytesPerSecond: 65_536, graceMs: 10_000 };

/** Fits into the buffers on the way, so that a slow reader occupies no function. */
export const UNHELD_BYTES = 65_536;

/** The reader was slower than the least pace, or had not finished when the function had to end. */
export class SlowReader extends Error {
  override name = 'SlowReader';
}

type Options = {
  /** Milliseconds after which the function has to end. */
  endsInMs: number;
  minThroughput?: MinThroughput;
};

/**
 * Writes a body to Lambda's response stream and ends it. Resolves when the Runtime API has taken the last
 * byte. Throws SlowReader or the body's own error, after destroying the stream so that it looks cut off.
 */
export async function send(stream: Writable, body: Reply['body'], options: Options): Promise<void> {
  const { endsInMs, minThroughput = MIN_THROUGHPUT } = options;
  const endsAt = performance.now() + endsInMs;
  const source = body instanceof Readable ? body : Readable.from(pieces(Buffer.from(body)));
  const late = setTimeout(() => source.destroy(new SlowReader('The function has to end.')), endsInMs);
  let [sent, waitedMs] = [0, 0];

  /** Time that the source takes does not count against the reader. */
  async function wait(event: string): Promise<void> {
    const since = performance.now();
    const patienceMs = minThroughput.graceMs + (sent / minThroughput.bytesPerSecond) * 1_000 - waitedMs;
    await happens(stream, event, Math.min(patienceMs, endsAt - since));
    waitedMs += performance.now() - since;
  }

  try {
    for await (const piece of source as AsyncIterable<Uint8Array>) {
      sent += piece.byteLength;
      if (!stream.write(piece)) await wait('drain');
    }
    stream.end();
    await wait(sent > UNHELD_BYTES ? 'response' : 'finish');
  } catch (error) {
    stream.destroy();
    throw error;
  } finally {
    clearTimeout(late);
  }
}

/** Bytes in pieces after each of which the reader's pace is measured. */
export function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += UNHELD_BYTES)
    yield bytes.subarray(start, start + UNHELD_BYTES);
}

/**
 * Waits for an event of the stream. `response` is the Runtime API's own, sent once it has passed
 * everything on. A stream that is not a request closes instead.
 */
async function happens(stream: Writable, event: string, withinMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const done = () => resolve(undefined);
  const closed = () => (stream.writableFinished ? done() : reject(new Error('The response stream closed.')));
  const timer = setTimeout(() => reject(new SlowReader('The reader is too slow.')), Math.max(0, withinMs));
  stream.once(event, done);
  stream.once('close', closed);
  stream.once('error', reject);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    stream.off(event, done);
    stream.off('close', closed);
    stream.off('error', reject);
  }
}
