import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { chunkReader, type ChunkReader } from './chunk-reader.ts';
import { headBounds, readHead } from './response-head.ts';

export type ResponseReader = {
  /** The same bytes as strict parsers read them. Throws for what browsers refuse too. */
  read: (bytes: Buffer) => Buffer[];
  end: () => Buffer[];
};

/** One response, with its interim ones. A head is given on once it is whole. */
export function responseReader(maxHeadBytes: number): ResponseReader {
  let head: Buffer = Buffer.alloc(0);
  let body: Pick<ChunkReader, 'read' | 'end'> | undefined;

  function readBegin(bytes: Buffer): Buffer[] {
    head = head.length === 0 ? bytes : Buffer.concat([head, bytes]);
    const bounds = headBounds(head);
    if ((bounds?.end ?? head.length) > maxHeadBytes) throw new Error('the head is too large');
    if (!bounds) return [];
    const { start, end } = bounds;
    const { bytes: written, status, isChunked } = readHead(head.subarray(start, end));
    const rest = head.subarray(end);
    head = Buffer.alloc(0);
    if (status < 200 && status !== 101) return [written, ...(rest.length > 0 ? readBegin(rest) : [])];
    body = isChunked ? chunkReader() : { read: (each) => [each], end: () => [] };
    return [written, ...(rest.length > 0 ? body.read(rest) : [])];
  }
  return { read: (bytes) => body?.read(bytes) ?? readBegin(bytes), end: () => body?.end() ?? [] };
}

/** A connection whose next response Node's client reads as browsers do. `release` gives the socket back. */
export function asBrowsersRead(
  socket: Socket,
  maxHeadBytes: number,
): { duplex: Duplex; release: () => void } {
  const reader = responseReader(maxHeadBytes);
  const duplex = new Duplex({
    read: () => void socket.resume(),
    write: (bytes: Buffer, _encoding, done) => void socket.write(bytes, done),
    final: (done) => void socket.end(done),
    destroy(fault, done) {
      release();
      socket.destroy(fault ?? undefined);
      done(fault);
    },
  });
  const pass = (parts: () => Buffer[]) => {
    try {
      if (parts().filter((part) => !duplex.push(part)).length > 0) socket.pause();
    } catch (fault) {
      duplex.destroy(fault as Error);
    }
  };
  const onData = (bytes: Buffer) => pass(() => reader.read(bytes));
  const onEnd = () => {
    pass(() => reader.end());
    duplex.push(null);
  };
  const onError = (fault: Error) => void duplex.destroy(fault);
  const onClose = () => void duplex.destroy();
  socket.on('data', onData).once('end', onEnd).once('error', onError).once('close', onClose);
  const release = () =>
    void socket.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
  return { duplex, release };
}
