import { inflateSync } from 'node:zlib';

export type Pixels = { width: number; height: number; at: (x: number, y: number) => readonly number[] };

const SAMPLES: Readonly<Record<number, number>> = { 2: 3, 6: 4 };

/** A line whose bytes are replaced in place: where it starts and ends, and how far the pixel before is. */
type Line = { plain: Buffer; start: number; end: number; sample: number; length: number };

/** By the number of the filter. A loop each, for a picture of a whole page has a hundred million bytes. */
const FILTERS: readonly ((line: Line) => void)[] = [() => undefined, sub, up, average, paeth];

/** Red, green and blue of each pixel. https://www.w3.org/TR/png-3/ */
export function decodePng(png: Uint8Array): Pixels {
  const bytes = Buffer.from(png);
  const packed: Buffer[] = [];
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at))
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT')
      packed.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const sample = SAMPLES[bytes.readUInt8(25)] ?? 0;
  const line = width * sample;
  const rows = inflateSync(Buffer.concat(packed));
  // Above the first line is one of zeros.
  const plain = Buffer.alloc(line * (height + 1));
  for (let y = 0; y < height; y += 1) {
    const [start, from] = [(y + 1) * line, y * (line + 1)];
    rows.copy(plain, start, from + 1, from + 1 + line);
    FILTERS[rows[from] ?? 0]?.({ plain, start, end: start + line, sample, length: line });
  }
  return {
    width,
    height,
    at: (x, y) => [...plain.subarray((y + 1) * line + x * sample, (y + 1) * line + x * sample + 3)],
  };
}

function sub({ plain, start, end, sample }: Line): void {
  for (let at = start + sample; at < end; at += 1) plain[at] = (plain[at] ?? 0) + (plain[at - sample] ?? 0);
}

function up({ plain, start, end, length }: Line): void {
  for (let at = start; at < end; at += 1) plain[at] = (plain[at] ?? 0) + (plain[at - length] ?? 0);
}

function average({ plain, start, end, sample, length }: Line): void {
  for (let at = start; at < end; at += 1) {
    const left = at < start + sample ? 0 : (plain[at - sample] ?? 0);
    plain[at] = (plain[at] ?? 0) + ((left + (plain[at - length] ?? 0)) >> 1);
  }
}

function paeth({ plain, start, end, sample, length }: Line): void {
  for (let at = start; at < end; at += 1) {
    const isFirst = at < start + sample;
    const left = isFirst ? 0 : (plain[at - sample] ?? 0);
    const above = plain[at - length] ?? 0;
    const corner = isFirst ? 0 : (plain[at - length - sample] ?? 0);
    const guess = left + above - corner;
    const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)];
    plain[at] = (plain[at] ?? 0) + (a <= b && a <= c ? left : b <= c ? above : corner);
  }
}
