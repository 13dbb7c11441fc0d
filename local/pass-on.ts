import type { ServerResponse } from 'node:http';

/**
 * Writes chunks as fast as the client takes them. When it has gone the rest is read all the same, because a function
 * works on without its caller.
 */
export async function passOn(
  chunks: AsyncIterable<Uint8Array>,
  response: ServerResponse,
  encode = (chunk: Uint8Array) => chunk,
): Promise<void> {
  for await (const chunk of chunks) {
    if (response.destroyed) continue;
    const isTaken = response.write(encode(chunk));
    // Destroyed means that neither event will come.
    if (!isTaken && !isDestroyed(response)) await drained(response);
  }
}

const isDestroyed = (response: ServerResponse): boolean => response.destroyed;

function drained(response: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const done = () => {
    response.off('drain', done).off('close', done);
    resolve(undefined);
  };
  response.on('drain', done).on('close', done);
  return promise;
}
