/** A line, without its line feed: its number and place, its length with the line feed, and its bytes. */
export type Line = {
  line: number;
  at: number;
  bytes: number;
  /** Undefined if it is too long. */
  content: Buffer | undefined;
};

/** The most bytes of a request, as in the body of a scrape, with its line feed. */
export const MAX_LINE_BYTES = 256 * 1_024;
const LINE_FEED = 10;
/** Blanks and control characters. */
const SPACE = 32;

const START = { line: 1, at: 0 };

/**
 * The lines of a stream that begins with line `line` at byte `at`. Blank lines are numbered but skipped; of a
 * line with more bytes than `most` only the length is kept.
 */
export async function* splitLines(
  stream: AsyncIterable<Uint8Array>,
  { line, at } = START,
  most = MAX_LINE_BYTES,
): AsyncGenerator<Line> {
  let kept: Uint8Array[] = [];
  let bytes = 0;
  const taken = (): Line => {
    const content = bytes > most ? undefined : withoutFeed(Buffer.concat(kept));
    const found = { line, at, bytes, content };
    [kept, line, at, bytes] = [[], line + 1, at + bytes, 0];
    return found;
  };
  for await (const chunk of stream) {
    for (let start = 0; start < chunk.length;) {
      const feed = chunk.indexOf(LINE_FEED, start);
      const end = feed < 0 ? chunk.length : feed + 1;
      bytes += end - start;
      // What is too long is only counted.
      if (bytes <= most) kept.push(chunk.subarray(start, end));
      else kept = [];
      start = end;
      if (feed < 0) break;
      const found = taken();
      if (isFilled(found)) yield found;
    }
  }
  const last = bytes > 0 ? taken() : undefined;
  if (last && isFilled(last)) yield last;
}

function withoutFeed(bytes: Buffer): Buffer {
  return bytes.at(-1) === LINE_FEED ? bytes.subarray(0, -1) : bytes;
}

function isFilled({ content }: Line): boolean {
  return content === undefined || content.some((byte) => byte > SPACE);
}
