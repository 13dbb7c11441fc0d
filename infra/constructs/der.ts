export type Element = { tag: number; whole: Buffer; content: Buffer };

/** Consecutive DER elements: https://www.itu.int/rec/T-REC-X.690 */
export function elements(bytes: Buffer = Buffer.of()): Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length;) {
    const short = bytes.readUInt8(at + 1);
    const lengthBytes = short < 0x80 ? 0 : short & 0x7f;
    const start = at + 2 + lengthBytes;
    const end = start + (lengthBytes === 0 ? short : bytes.readUIntBE(at + 2, lengthBytes));
    found.push({
      tag: bytes.readUInt8(at),
      whole: bytes.subarray(at, end),
      content: bytes.subarray(start, end),
    });
    at = end;
  }
  return found;
}

export function encode(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}
