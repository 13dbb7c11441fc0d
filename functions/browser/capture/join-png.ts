import { once } from 'node:events';
import { promisify } from 'node:util';
import { crc32, createDeflate, inflate } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const HEADER_BYTES = 13;
/** Samples by colour type: https://www.w3.org/TR/png-3/#11IHDR */
const SAMPLES: Readonly<Record<number, number>> = { 2: 3, 6: 4 };
/** https://www.w3.org/TR/png-3/#9Filters */
const [NONE, SUB, UP, AVERAGE, PAETH] = [0, 1, 2, 3, 4];
/** Screens compress well at once. */
const LEVEL = 3;

type Size = { width: number; height: number };
type Tile = { header: Buffer; rows: Buffer };

/** Joins PNGs of the same width, one below the other, with one of them in memory at a time. */
export async function joinPng(tiles: AsyncIterable<Uint8Array>, size: Size): Promise<Uint8Array> {
  const packer = createDeflate({ level: LEVEL });
  const packed: Buffer[] = [];
  packer.on('data', (chunk: Buffer) => packed.push(chunk));
  let header: Buffer | undefined;
  let height = 0;
  for await (const bytes of tiles) {
    const tile = await readTile(bytes);
    header ??= tile.header;
    const [isSameWidth, isSameKind] = [
      sameBytes(header, tile.header, 0, 4),
      sameBytes(header, tile.header, 8),
    ];
    if (!isSameWidth || !isSameKind) throw new Error('The tiles of a picture differ.');
    height += tile.header.readUInt32BE(4);
    standAlone(tile);
    if (!packer.write(tile.rows)) await once(packer, 'drain');
  }
  if (!header || height !== size.height || header.readUInt32BE(0) !== size.width)
    throw new Error(`The tiles have ${height} lines instead of ${size.height}.`);
  packer.end();
  await once(packer, 'end');
  header.writeUInt32BE(height, 4);
  const parts = [chunk('IHDR', header), chunk('IDAT', Buffer.concat(packed)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([SIGNATURE, ...parts]);
}

const sameBytes = (one: Buffer, other: Buffer, from: number, to = HEADER_BYTES) =>
  one.subarray(from, to).equals(other.subarray(from, to));

async function readTile(png: Uint8Array): Promise<Tile> {
  const bytes = Buffer.from(png.buffer, png.byteOffset, png.byteLength);
  const packed: Buffer[] = [];
  let header: Buffer | undefined;
  for (let at = SIGNATURE.length; at < bytes.length;) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const content = bytes.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') header = Buffer.from(content);
    if (type === 'IDAT') packed.push(content);
    at += 12 + length;
  }
  if (!header) throw new Error('A tile has no header.');
  return { header, rows: await promisify(inflate)(Buffer.concat(packed)) };
}

/** The filter of the first line took the line above it for zeros, which it no longer is. */
function standAlone({ header, rows }: Tile): void {
  const sample = SAMPLES[header.readUInt8(9)] ?? 1;
  const end = 1 + header.readUInt32BE(0) * sample;
  const filter = rows[0];
  if (filter === UP) rows[0] = NONE;
  if (filter === PAETH) rows[0] = SUB;
  if (filter !== AVERAGE) return;
  rows[0] = NONE;
  for (let at = 1 + sample; at < end; at += 1)
    rows[at] = ((rows[at] ?? 0) + ((rows[at - sample] ?? 0) >> 1)) & 0xff;
}

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
