import { inflateSync } from 'node:zlib';

export type Pixels = { width: number; height: number; at: (x: number, y: number) => readonly number[] };

const SAMPLES: Readonly<Record<number, number>> = { 2: 3, 6: 4 };

const none = () => 0;

/** By the number of the filter, from the bytes before, above, and above the one before. */
const GUESSES: readonly ((left: number, up: number, corner: number) => number)[] = [
  none,
  (left) => left,
  (_left, up) => up,
  (left, up) => (left + up) >> 1,
  paeth,
];

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
  const plain = Buffer.alloc(line * height);
  for (let y = 0; y < height; y += 1) unfilter(rows, plain, { y, line, sample });
  return {
    width,
    height,
    at: (x, y) => [...plain.subarray(y * line + x * sample, y * line + x * sample + 3)],
  };
}

function unfilter(
  rows: Buffer,
  plain: Buffer,
  { y, line, sample }: { y: number; line: number; sample: number },
): void {
  const [start, from] = [y * line, y * (line + 1)];
  const guess = GUESSES[rows[from] ?? 0] ?? none;
  for (let x = 0; x < line; x += 1) {
    const left = x < sample ? 0 : (plain[start + x - sample] ?? 0);
    const up = y === 0 ? 0 : (plain[start + x - line] ?? 0);
    const corner = x < sample || y === 0 ? 0 : (plain[start + x - line - sample] ?? 0);
    plain[start + x] = (rows[from + 1 + x] ?? 0) + guess(left, up, corner);
  }
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}
