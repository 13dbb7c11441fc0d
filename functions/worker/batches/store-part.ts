import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { createGzip } from 'node:zlib';
import { PassThrough } from 'node:stream';
import type { Chunk } from '../../../shared/contract/batches/chunk.ts';
import { partKey } from '../../../shared/domain/batches/part-key.ts';
import { foundKey } from '../../../shared/domain/crawls/crawl-keys.ts';
import { GZIP } from '../../../shared/gzip.ts';
import type { Results } from '../../../shared/ports/jobs.ts';
import { mutex } from '../../../shared/time/mutex.ts';
import type { LineResult } from './line-result.ts';

const LARGE_BYTES = 4_000_000;
/** About a millisecond of work. */
const SLICE_BYTES = 300_000;

const oneAtATime = mutex();

/**
 * Stores the results of one turn as lines of JSON, with their pages and again without: most readers want no
 * pages. Returns the length of the former. Large pages take turns to bound the memory.
 */
export async function storePart(
  results: Pick<Results, 'put'>,
  chunk: Pick<Chunk, 'orgId' | 'batchId' | 'index'>,
  token: number,
  lines: readonly LineResult[],
): Promise<{ lines: number; bytes: number }> {
  const size = lines.reduce((sum, { page }) => sum + (page?.body.byteLength ?? 0), 0);
  const store = async () => {
    const whole = await gzippedLines(linesWithPages(lines));
    await results.put(partKey(chunk, token, 'pages'), whole.gzip);
    const heads = await gzippedLines(lines.map(({ head }) => Buffer.from(`${JSON.stringify(head)}\n`)));
    await results.put(partKey(chunk, token, 'heads'), heads.gzip);
    return { lines: lines.length, bytes: whole.bytes };
  };
  return size < LARGE_BYTES ? store() : oneAtATime(store);
}

async function gzippedLines(lines: Iterable<Uint8Array>): Promise<{ gzip: Buffer; bytes: number }> {
  let bytes = 0;
  const counted = function* () {
    for (const each of lines) {
      bytes += each.byteLength;
      yield each;
    }
  };
  const out = new PassThrough();
  const [gzip] = await Promise.all([buffer(out), pipeline(Readable.from(counted()), createGzip(GZIP), out)]);
  return { gzip, bytes };
}

/** A whole page as one string of JSON would take three times its memory. */
function* linesWithPages(lines: readonly LineResult[]): Generator<Uint8Array> {
  for (const { head, page } of lines) {
    const text = JSON.stringify(head);
    if (page === undefined) yield Buffer.from(`${text}\n`);
    else yield* lineWithPage(text, page.body);
  }
}

function* lineWithPage(head: string, body: Uint8Array): Generator<Uint8Array> {
  const isText = isUtf8(body);
  const encoding = isText ? 'utf-8' : 'base64';
  yield Buffer.from(`${head.slice(0, -1)},"body_encoding":"${encoding}","body":"`);
  // A character of UTF-8, or three bytes in base64, may continue in the next slice.
  const decoder = new StringDecoder(isText ? 'utf8' : 'base64');
  const escaped = (text: string) => Buffer.from(JSON.stringify(text).slice(1, -1));
  for (let start = 0; start < body.byteLength; start += SLICE_BYTES)
    yield escaped(decoder.write(Buffer.from(body.subarray(start, start + SLICE_BYTES))));
  yield escaped(decoder.end());
  yield Buffer.from('"}\n');
}

/** Stores what the lines of one turn have found for their crawl: a `Found` for each, in their order. */
export async function storeFound(
  results: Pick<Results, 'put'>,
  chunk: Chunk,
  lines: readonly LineResult[],
): Promise<void> {
  const text = lines.map((line) => `${JSON.stringify(foundOf(line))}\n`).join('');
  const { gzip } = await gzippedLines([Buffer.from(text)]);
  await results.put(foundKey(chunk, chunk.fencingToken), gzip);
}

/** A line without a page has found nothing. */
function foundOf({ head, found }: LineResult) {
  const { line, credits_used: credits, credits_reason: reason } = head;
  if (found) return { line, credits, ...found };
  const { error_code, target_status, verdict, completed_at: fetched_at } = head;
  const facts = { error_code, target_status, verdict, fetched_at };
  return { line, outcome: 'failed', credits, counter: `plain_${String(reason)}`, ...facts };
}
