/** Where a line is, with its line feed; and its text, unless it is too long. */
export type Line = { line: number; at: number; bytes: number; text: string | undefined };

/** The most bytes of a request, as in the body of a scrape. */
const MAX_LINE_BYTES = 256 * 1_024;
const LINE_FEED = 10;
const BLANK = /^\s*$/;

/** The lines of a stream that begins with line `line` at byte `at`. Blank ones are left out, but numbered. */
export async function* splitLines(
  stream: AsyncIterable<Uint8Array>,
  { line, at }: { line: number; at: number },
): AsyncGenerator<Line> {
  let kept: Uint8Array[] = [];
  let bytes = 0;
  const taken = () => {
    const text = bytes > MAX_LINE_BYTES ? undefined : Buffer.concat(kept).toString('utf8');
    const found = { line, at, bytes, text };
    [kept, line, at, bytes] = [[], line + 1, at + bytes, 0];
    return found;
  };
  for await (const chunk of stream) {
    for (let start = 0; start < chunk.length;) {
      const feed = chunk.indexOf(LINE_FEED, start);
      const end = feed < 0 ? chunk.length : feed + 1;
      bytes += end - start;
      // What is too long is only counted.
      if (bytes <= MAX_LINE_BYTES) kept.push(chunk.subarray(start, end));
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

function isFilled({ text }: Line): boolean {
  return text === undefined || !BLANK.test(text);
}
