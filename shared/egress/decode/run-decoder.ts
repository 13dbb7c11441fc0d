import type { Transform } from 'node:stream';

/** A decoded body. `isTruncated`: its coding did not end, or its checksum differs. */
export type Decoded = { body: Uint8Array; isTruncated: boolean };
/** `usedBytes`: of the encoded body, without what follows its end. */
export type Part = Decoded & { usedBytes: number };

/** A stream of node:zlib. */
type Engine = Transform & { readonly bytesWritten: number };

export const TOO_LARGE = 'ERR_BUFFER_TOO_LARGE';
/** Node's words for every coding. All that can be decoded has been by then. */
const ENDED_EARLY = 'unexpected end of file';

/** Decodes as far as the bytes go. Throws for corrupt ones, and `TOO_LARGE` beyond `limit` decoded bytes. */
export function runDecoder(engine: Engine, body: Uint8Array, limit: number): Promise<Part> {
  const { promise, resolve, reject } = Promise.withResolvers<Part>();
  const chunks: Buffer[] = [];
  let size = 0;
  const end = (isTruncated: boolean) =>
    resolve({ body: Buffer.concat(chunks, size), isTruncated, usedBytes: engine.bytesWritten });
  engine.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else engine.destroy(Object.assign(new Error('too large'), { code: TOO_LARGE }));
  });
  engine.once('end', () => end(false));
  engine.once('error', (fault) => (fault.message === ENDED_EARLY ? end(true) : reject(fault)));
  engine.end(body);
  return promise;
}
