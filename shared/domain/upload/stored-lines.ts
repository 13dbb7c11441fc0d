const LINE_FEED = 10;

/** The lines of a stored part, without their line feeds. Each ends with one. */
export async function* storedLines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let kept: Uint8Array[] = [];
  for await (const chunk of stream) {
    let start = 0;
    for (let feed = chunk.indexOf(LINE_FEED); feed >= 0; feed = chunk.indexOf(LINE_FEED, start)) {
      yield Buffer.concat([...kept, chunk.subarray(start, feed)]);
      kept = [];
      start = feed + 1;
    }
    kept.push(chunk.subarray(start));
  }
}
