/** A response's head as Chromium reads it: https://source.chromium.org/chromium/chromium/src/+/main:net/http/http_util.cc */
export type ResponseHead = {
  status: number;
  isChunked: boolean;
  /** The same head as strict parsers read it, with one framing of the body. */
  bytes: Buffer;
};

type Header = readonly [name: string, value: string];

/** Bytes before the status line that Chromium passes over. */
const MAX_SLOP_BYTES = 4;
const SIGN = 'http';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/i;
const FRAMING: readonly string[] = ['content-length', 'transfer-encoding'];
type Framing = Readonly<Record<string, string>>;
const MAX_LENGTH = 2n ** 63n - 1n;

/** Where the head begins and ends. Undefined if it is incomplete. Throws if it is not HTTP. */
export function headBounds(bytes: Buffer): { start: number; end: number } | undefined {
  const begun = bytes.toString('latin1', 0, MAX_SLOP_BYTES + SIGN.length).toLowerCase();
  const start = begun.indexOf(SIGN);
  if (start < 0 && begun.length === MAX_SLOP_BYTES + SIGN.length) throw new Error('no status line');
  const ends = ['\n\n', '\n\r\n'].map((end) => ({ at: bytes.indexOf(end, start), length: end.length }));
  const [first] = ends.filter(({ at }) => start >= 0 && at >= 0).sort((one, other) => one.at - other.at);
  return first && { start, end: first.at + first.length };
}

/** Skips what is no header. Throws for several lengths, a zero byte, and a status that none can pass on. */
export function readHead(bytes: Buffer): ResponseHead {
  const text = bytes.toString('latin1');
  if (text.includes('\0')) throw new Error('a zero byte in the head');
  const [statusLine = '', ...lines] = text.split(/[\r\n]+/);
  const { version, status } = readStatusLine(statusLine);
  const headers = joined(lines).flatMap(readHeader);
  const isChunked = version === '1.1' && valuesOf(headers, 'transfer-encoding').includes('chunked');
  const framing = isChunked ? ({ 'transfer-encoding': 'chunked' } as const) : lengthOf(headers);
  const written = framed(headers, framing).map(([name, value]) => `${name}: ${value}\r\n`);
  const read = Buffer.from(`HTTP/${version} ${status} \r\n${written.join('')}\r\n`, 'latin1');
  return { status, isChunked, bytes: read };
}

/** A header line; none if it has no name. */
export function readHeader(line: string): [Header] | [] {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(0, colon)).replace(/[ \t]+$/, '');
  return TOKEN.test(name) ? [[name, trimmed(line.slice(colon + 1))]] : [];
}

/** Anything but a version 1.1 or later counts as 1.0, and a missing status as 200. */
function readStatusLine(line: string): { version: '1.0' | '1.1'; status: number } {
  const [, major, minor] = /^http\/(\d)[^.]*\.(\d)/i.exec(line) ?? [];
  const [, code = '200'] = /^[^ ]* +(\d+)/.exec(line) ?? [];
  const status = Number(code);
  if (status < 100 || status > 999) throw new Error('no status code');
  return { version: Number(`${major}${minor}`) >= 11 ? '1.1' : '1.0', status };
}

/** A line that begins with a space continues the line before: https://www.rfc-editor.org/rfc/rfc9112#section-5.2 */
function joined(lines: readonly string[]): string[] {
  const whole: string[] = [];
  let isHeader = false;
  for (const line of lines) {
    const isContinued = /^[ \t]/.test(line);
    if (isContinued && isHeader) whole.push(`${whole.pop()} ${trimmed(line)}`);
    else whole.push(line);
    isHeader = isContinued ? isHeader : line.indexOf(':') > 0;
  }
  return whole;
}

/** A length may be repeated. Without a number the body ends with its connection. */
function lengthOf(headers: readonly Header[]): Framing {
  const [length = '', ...others] = valuesOf(headers, 'content-length');
  if (others.some((other) => other !== length)) throw new Error('different values of Content-Length');
  return /^\d+$/.test(length) && BigInt(length) <= MAX_LENGTH ? { 'content-length': length } : {};
}

/** One header of framing at most, where the first of its name was. */
function framed(headers: readonly Header[], framing: Framing): Header[] {
  const names = headers.map(([name]) => name.toLowerCase());
  return headers.flatMap(([name, value], index): Header[] => {
    const key = name.toLowerCase();
    if (!FRAMING.includes(key)) return [[name, value]];
    const meant = names.indexOf(key) === index ? framing[key] : undefined;
    return meant === undefined ? [] : [[name, meant]];
  });
}

function valuesOf(headers: readonly Header[], wanted: string): string[] {
  const lines = headers.filter(([name]) => name.toLowerCase() === wanted);
  return lines.flatMap(([, value]) => value.split(',').map((each) => trimmed(each).toLowerCase()));
}

const trimmed = (text: string) => text.replace(/^[ \t]+|[ \t]+$/g, '');
