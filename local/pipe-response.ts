import type { ServerResponse } from 'node:http';

/**
 * Writes chunks as fast as the client takes them. After the client has gone it reads on, because a function
 * finishes without its caller.
 */
export async function pipeResponse(
  chunks: AsyncIterable<Uint8Array>,
  response: ServerResponse,
  encode = (chunk: Uint8Array) => chunk,
): Promise<void> {
  for await (const chunk of chunks) {
    if (response.destroyed) continue;
    const isTaken = response.write(encode(chunk));
    // A destroyed response emits neither event.
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
