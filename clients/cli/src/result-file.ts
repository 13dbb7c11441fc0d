import { createReadStream } from 'node:fs';
import { appendFile, stat, truncate } from 'node:fs/promises';
import { createInterface } from 'node:readline';

/** Results in a file, a line each, of which the last one may be half written. */
export type ResultFile = {
  /** Behind the last whole line; undefined before the first one. */
  cursor: string | undefined;
  lines: number;
  failed: number;
  append: (line: { cursor: string }) => Promise<void>;
};

/** Opens a file of results, and cuts off a line that a killed process left unfinished. */
export async function openResultFile(path: string): Promise<ResultFile> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  let cursor: string | undefined;
  let [lines, failed, bytes] = [0, 0, 0];
  if (size > 0) {
    for await (const line of createInterface({ input: createReadStream(path) })) {
      const end = bytes + Buffer.byteLength(line) + 1;
      if (end > size) break;
      const read = JSON.parse(line) as { cursor: string; status: string };
      cursor = read.cursor;
      [bytes, lines] = [end, lines + 1];
      if (read.status === 'failed') failed += 1;
    }
    if (bytes < size) await truncate(path, bytes);
  }
  return { cursor, lines, failed, append: (line) => appendFile(path, `${JSON.stringify(line)}\n`) };
}
