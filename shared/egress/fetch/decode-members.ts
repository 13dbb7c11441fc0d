import { promisify } from 'node:util';
import { crc32, gunzip, inflateRaw, zstdDecompress, type ZlibOptions } from 'node:zlib';

type Limit = { maxOutputLength: number };
type Member = { buffer: Buffer; engine: { bytesWritten: number } };
type DecodeMember = (body: Uint8Array, options: ZlibOptions & { info: true }) => Promise<Member>;

// The types do not describe the result of the `info` option.
const inflateBare = promisify(inflateRaw) as unknown as DecodeMember;
const decodeFrame = promisify(zstdDecompress) as unknown as DecodeMember;

/** More than a page of 50 MB in blocks of 64 KB has. Each takes 0.2 ms, also an empty one of nine bytes. */
const MAX_MEMBERS = 4_000;

const GZIP_MAGIC = [0x1f, 0x8b];
const GZIP_TAIL_BYTES = 8;
const ZSTD_MAGIC = [0x28, 0xb5, 0x2f, 0xfd];

/** Decodes every member of a gzip file and ignores trailing bytes, as browsers do. */
export async function gunzipMembers(body: Uint8Array, limit: Limit): Promise<Uint8Array> {
  try {
    return await promisify(gunzip)(body, limit);
  } catch (error) {
    // Node takes any trailing bytes for another member. Other errors are reported unchanged.
    if (gzipHeadBytes(body) === undefined || isTooLarge(error)) throw error;
    return await decodeAll(body, limit, gzipHeadBytes, inflateMember);
  }
}

/** Decodes every frame; Node stops after the first: https://www.rfc-editor.org/rfc/rfc8878#section-3 */
export function zstdFrames(body: Uint8Array, limit: Limit): Promise<Uint8Array> {
  return decodeAll(body, limit, (rest) => (begins(rest, ZSTD_MAGIC) ? 0 : undefined), decodeFrame);
}

async function decodeAll(
  body: Uint8Array,
  { maxOutputLength }: Limit,
  headBytes: (rest: Uint8Array) => number | undefined,
  decode: DecodeMember,
): Promise<Uint8Array> {
  const decoded: Uint8Array[] = [];
  let [rest, size] = [body, 0];
  for (let head: number | undefined = headBytes(rest) ?? 0; head !== undefined; head = headBytes(rest)) {
    if (decoded.length === MAX_MEMBERS) throw new Error('too many members');
    const room = Math.max(1, maxOutputLength - size);
    const member = await decode(rest.subarray(head), { maxOutputLength: room, info: true });
    decoded.push(member.buffer);
    size += member.buffer.length;
    rest = rest.subarray(head + member.engine.bytesWritten);
  }
  return decoded.length === 1 ? (decoded[0] ?? body) : Buffer.concat(decoded, size);
}

async function inflateMember(...[rest, options]: Parameters<DecodeMember>): Promise<Member> {
  const { buffer, engine } = await inflateBare(rest, options);
  const end = engine.bytesWritten + GZIP_TAIL_BYTES;
  const tail = Buffer.from(rest.subarray(engine.bytesWritten, end));
  if (tail.length < GZIP_TAIL_BYTES || tail.readUInt32LE() !== crc32(buffer)) throw new Error('corrupt gzip');
  return { buffer, engine: { bytesWritten: end } };
}

const isTooLarge = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';

/** The length of a gzip member's head: https://www.rfc-editor.org/rfc/rfc1952#section-2.3 */
function gzipHeadBytes(member: Uint8Array): number | undefined {
  if (!begins(member, GZIP_MAGIC)) return undefined;
  const flags = member[3] ?? 0;
  let at = 10;
  if (flags & 4) at += 2 + (member[at] ?? 0) + 256 * (member[at + 1] ?? 0);
  // A name and a comment, each ended by a zero.
  for (const flag of [8, 16]) if (flags & flag) at = member.indexOf(0, at) + 1;
  return flags & 2 ? at + 2 : at;
}

const begins = (bytes: Uint8Array, magic: readonly number[]) =>
  magic.every((byte, index) => bytes[index] === byte);
