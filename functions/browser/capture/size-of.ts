import type { PictureType } from '../../../shared/contract/scrape/picture.ts';

type Size = { width: number; height: number };

const READERS: Readonly<Record<PictureType, (bytes: Buffer) => Size>> = {
  /** https://www.w3.org/TR/png-3/#11IHDR */
  png: (bytes) => ({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }),
  jpeg: sizeOfJpeg,
  webp: sizeOfWebp,
};

/** The width and height that a picture says it has. */
export function sizeOf(body: Uint8Array, type: PictureType): Size {
  return READERS[type](Buffer.from(body.buffer, body.byteOffset, body.byteLength));
}

const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** https://www.w3.org/Graphics/JPEG/itu-t81.pdf, B.2.2 */
function sizeOfJpeg(bytes: Buffer): Size {
  let at = 2;
  while (!isFrame(bytes.readUInt8(at + 1))) at += 2 + bytes.readUInt16BE(at + 2);
  return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
}

/** https://developers.google.com/speed/webp/docs/riff_container */
function sizeOfWebp(bytes: Buffer): Size {
  const kind = bytes.toString('latin1', 12, 16);
  if (kind === 'VP8X') return { width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) };
  if (kind === 'VP8 ')
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  const bits = bytes.readUInt32LE(21);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}
