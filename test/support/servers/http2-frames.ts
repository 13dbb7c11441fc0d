/** A client's HTTP/2 connection up to its first request: https://www.rfc-editor.org/rfc/rfc9113 */
export type Http2Opening = {
  settings: [id: number, value: number][];
  windowUpdates: [stream: number, increment: number][];
  /** The flags of the first request, and its priority if it has one. */
  headers: { stream: number; flags: number; priority?: { exclusive: boolean; on: number; weight: number } };
  /** The types of all frames up to it, in their order. */
  frames: number[];
};

const PREFACE_BYTES = 24;
const HEAD_BYTES = 9;
const TYPE = { headers: 1, settings: 4, windowUpdate: 8 } as const;
const FLAG = { acknowledged: 0x1, priority: 0x20 } as const;

/** Undefined until the first request is complete. */
export function parseHttp2Opening(bytes: Buffer): Http2Opening | undefined {
  const opening: Omit<Http2Opening, 'headers'> = { settings: [], windowUpdates: [], frames: [] };
  for (let at = PREFACE_BYTES; at + HEAD_BYTES <= bytes.length;) {
    const end = at + HEAD_BYTES + bytes.readUIntBE(at, 3);
    if (end > bytes.length) return undefined;
    const [type, flags] = [bytes.readUInt8(at + 3), bytes.readUInt8(at + 4)];
    const stream = bytes.readUInt32BE(at + 5);
    const body = bytes.subarray(at + HEAD_BYTES, end);
    const isAcknowledgement = type === TYPE.settings && (flags & FLAG.acknowledged) !== 0;
    // It may arrive before or after the request.
    if (!isAcknowledgement) opening.frames.push(type);
    if (type === TYPE.settings) opening.settings.push(...settingsOf(body));
    if (type === TYPE.windowUpdate) opening.windowUpdates.push([stream, body.readUInt32BE(0)]);
    if (type === TYPE.headers) return { ...opening, headers: headersOf(stream, flags, body) };
    at = end;
  }
  return undefined;
}

function settingsOf(body: Buffer): Http2Opening['settings'] {
  return Array.from({ length: body.length / 6 }, (_, index) => [
    body.readUInt16BE(index * 6),
    body.readUInt32BE(index * 6 + 2),
  ]);
}

function headersOf(stream: number, flags: number, body: Buffer): Http2Opening['headers'] {
  if ((flags & FLAG.priority) === 0) return { stream, flags };
  const dependency = body.readUInt32BE(0);
  const priority = {
    exclusive: dependency >>> 31 === 1,
    on: dependency & 0x7fffffff,
    weight: body.readUInt8(4) + 1,
  };
  return { stream, flags, priority };
}
