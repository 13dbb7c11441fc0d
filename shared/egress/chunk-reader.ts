import { readHeader } from './response-head.ts';

export type ChunkReader = {
  /** The same bytes as strict parsers read them. Throws for a chunk without a size. */
  read: (bytes: Buffer) => Buffer[];
  /** The rest of a body whose connection ends after its last chunk. */
  end: () => Buffer[];
};

/** Chromium's limits: https://source.chromium.org/chromium/chromium/src/+/main:net/http/http_chunked_decoder.cc */
const MAX_LINE_BYTES = 16_384;
const MAX_TRAILERS_BYTES = 262_144;
/** More digits would be no number that JavaScript counts to. */
const SIZE = /^0*([0-9a-f]{1,13})[ \t]*(?:;|$)/i;

type State = {
  expected: 'size' | 'data' | 'end of data' | 'trailer' | 'nothing';
  missing: number;
  trailers: number;
};

/** Chunks as browsers read them: their lines may end with LF alone, and trailers may be anything. */
export function chunkReader(): ChunkReader {
  const state: State = { expected: 'size', missing: 0, trailers: 0 };
  let line = '';

  /** The bytes used, and what they are. */
  function take(bytes: Buffer): { used: number; written: Buffer[] } {
    if (state.expected === 'nothing') return { used: bytes.length, written: [bytes] };
    if (state.expected === 'data') return takeData(state, bytes);
    const end = bytes.indexOf('\n');
    line += bytes.toString('latin1', 0, end < 0 ? bytes.length : end);
    if (line.length > MAX_LINE_BYTES) throw new Error('a line between chunks is too long');
    if (end < 0) return { used: bytes.length, written: [] };
    const text = line.replace(/\r$/, '');
    line = '';
    return { used: end + 1, written: readLine(state, text) };
  }
  return {
    read(bytes) {
      const all: Buffer[] = [];
      for (let rest = bytes; rest.length > 0;) {
        const { used, written } = take(rest);
        all.push(...written);
        rest = rest.subarray(used);
      }
      return all;
    },
    end: () => (state.expected === 'trailer' ? [Buffer.from('\r\n')] : []),
  };
}

function takeData(state: State, bytes: Buffer): { used: number; written: Buffer[] } {
  const data = bytes.subarray(0, state.missing);
  state.missing -= data.length;
  if (state.missing === 0) state.expected = 'end of data';
  const size = Buffer.from(`${data.length.toString(16)}\r\n`);
  return { used: data.length, written: [size, data, Buffer.from('\r\n')] };
}

function readLine(state: State, text: string): Buffer[] {
  if (state.expected === 'trailer') return readTrailer(state, text);
  const wasData = state.expected === 'end of data';
  state.expected = 'size';
  if (wasData && text === '') return [];
  const [, digits] = SIZE.exec(text) ?? [];
  if (digits === undefined) throw new Error('a chunk without a size');
  state.missing = Number.parseInt(digits, 16);
  state.expected = state.missing === 0 ? 'trailer' : 'data';
  return state.missing === 0 ? [Buffer.from('0\r\n')] : [];
}

function readTrailer(state: State, text: string): Buffer[] {
  if (text === '') state.expected = 'nothing';
  state.trailers += text.length;
  if (state.trailers > MAX_TRAILERS_BYTES) throw new Error('the trailers are too large');
  const lines = text === '' ? ['\r\n'] : readHeader(text).map(([name, value]) => `${name}: ${value}\r\n`);
  return lines.map((each) => Buffer.from(each, 'latin1'));
}
