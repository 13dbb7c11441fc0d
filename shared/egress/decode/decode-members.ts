import { crc32, createInflateRaw, createZstdDecompress } from 'node:zlib';
import { type Decoded, type Part, runDecoder } from './run-decoder.ts';

/** More than a page of 50 MB in blocks of 64 KB has. Each takes 0.2 ms, also an empty one of nine bytes. */
const MAX_MEMBERS = 4_000;

const GZIP_MAGIC = [0x1f, 0x8b];
const GZIP_TAIL_BYTES = 8;
const ZSTD_MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
/** After any byte from 0x50 to 0x5f: https://www.rfc-editor.org/rfc/rfc8878#section-3.1.2 */
const SKIPPED_MAGIC = [0x2a, 0x4d, 0x18];
const SKIPPED_HEAD_BYTES = 8;

/** Undefined if no part begins here. */
type DecodePart = (rest: Buffer, limit: number) => Promise<Part> | undefined;

/** Decodes every member of a gzip file and ignores trailing bytes, as most readers do. */
export const gunzipMembers = (body: Uint8Array, limit: number): Promise<Decoded> =>
  decodeParts(body, limit, inflateMember);

/** Decodes every frame; Node stops after the first. Unlike gzip, nothing but frames may follow. */
export async function zstdFrames(body: Uint8Array, limit: number): Promise<Decoded> {
  const { usedBytes, ...decoded } = await decodeParts(body, limit, decodeFrame);
  return { ...decoded, isTruncated: decoded.isTruncated || usedBytes !== body.length };
}

async function decodeParts(body: Uint8Array, limit: number, decode: DecodePart): Promise<Part> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const parts: Part[] = [];
  let [size, usedBytes] = [0, 0];
  for (let next = decode(bytes, limit); next; next = decode(bytes.subarray(usedBytes), limit - size)) {
    if (parts.length === MAX_MEMBERS) throw new Error('too many members');
    const part = await next;
    parts.push(part);
    size += part.body.length;
    usedBytes += part.usedBytes;
  }
  const [first] = parts;
  if (!first) throw new Error('no such format');
  const isTruncated = parts.some((part) => part.isTruncated);
  const whole =
    parts.length === 1
      ? first.body
      : Buffer.concat(
          parts.map((part) => part.body),
          size,
        );
  return { body: whole, isTruncated, usedBytes };
}

function inflateMember(rest: Buffer, limit: number): Promise<Part> | undefined {
  return begins(rest, GZIP_MAGIC) ? inflateAfter(rest, gzipHeadBytes(rest), limit) : undefined;
}

async function inflateAfter(rest: Buffer, headBytes: number, limit: number): Promise<Part> {
  const { body, isTruncated, usedBytes } = await runDecoder(
    createInflateRaw(),
    rest.subarray(headBytes),
    limit,
  );
  const tail = rest.subarray(headBytes + usedBytes, headBytes + usedBytes + GZIP_TAIL_BYTES);
  const isSound =
    tail.length === GZIP_TAIL_BYTES &&
    tail.readUInt32LE() === crc32(body) &&
    tail.readUInt32LE(4) === body.length;
  return { body, isTruncated: isTruncated || !isSound, usedBytes: headBytes + usedBytes + tail.length };
}

/** A frame, and those before it that readers skip. */
function decodeFrame(rest: Buffer, limit: number): Promise<Part> | undefined {
  const skipped = skippedBytes(rest);
  if (begins(rest.subarray(skipped), ZSTD_MAGIC))
    return runDecoder(createZstdDecompress(), rest.subarray(skipped), limit).then((part) => ({
      ...part,
      usedBytes: skipped + part.usedBytes,
    }));
  if (skipped === 0) return undefined;
  return Promise.resolve({ body: new Uint8Array(), isTruncated: skipped > rest.length, usedBytes: skipped });
}

function skippedBytes(rest: Buffer): number {
  let at = 0;
  while ((rest[at] ?? 0) >> 4 === 5 && begins(rest.subarray(at + 1), SKIPPED_MAGIC))
    at += SKIPPED_HEAD_BYTES + (rest.length < at + SKIPPED_HEAD_BYTES ? 0 : rest.readUInt32LE(at + 4));
  return at;
}

/** The length of a gzip member's head: https://www.rfc-editor.org/rfc/rfc1952#section-2.3 */
function gzipHeadBytes(member: Uint8Array): number {
  const flags = member[3] ?? 0;
  let at = 10;
  if (flags & 4) at += 2 + (member[at] ?? 0) + 256 * (member[at + 1] ?? 0);
  // A name and a comment, each ended by a zero.
  for (const flag of [8, 16]) if (flags & flag) at = endOf(member, at);
  return flags & 2 ? at + 2 : at;
}

function endOf(member: Uint8Array, from: number): number {
  const zero = member.indexOf(0, from);
  return zero < 0 ? member.length : zero + 1;
}

const begins = (bytes: Uint8Array, magic: readonly number[]) =>
  magic.every((byte, index) => bytes[index] === byte);
