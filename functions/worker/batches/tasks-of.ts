import type { Chunk } from '../../../shared/contract/batches/chunk.ts';
import type { Batch } from '../../../shared/contract/batches/batch.ts';
import { WaveLine } from '../../../shared/contract/crawls/wave.ts';
import { tagsOf } from '../../../shared/domain/batches/state.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import type { TargetPolicy } from '../../../shared/request/parse-scrape-request.ts';
import { readLine } from '../../../shared/request/read-line.ts';
import type { Task } from './run-line.ts';
import { type Line, splitLines } from '../../../shared/domain/batches/split-lines.ts';

/** Lines of a chunk to run next, and where the lines after them begin. */
export type Tasks = { tasks: Task[]; after: Chunk['next'] };

type Needs = Pick<Effects, 'uploads' | 'now'>;
export type Reading = { policy: TargetPolicy };

/** Lines that were not tried, or else some that are due again. Undefined if the upload is gone. */
export async function tasksOf(
  { uploads, now }: Needs,
  batch: Batch,
  { policy }: Reading,
  chunk: Chunk,
  most: number,
): Promise<Tasks | undefined> {
  const { key, version = '', defaults } = batch.upload;
  const taskOf = (line: Line, retried = 0): Task => {
    const { text, crawl } = chunk.crawl ? waveLine(line) : { text: line.content?.toString() };
    const read = readLine(text, { defaults, policy });
    const attempts = crawl?.attempts ?? retried;
    if (read.item === undefined) return { ...line, read, attempts, crawl };
    const item = { ...read.item, tags: tagsOf(batch, read.item) };
    return { ...line, read: { ...read, item }, attempts, crawl };
  };
  const readFrom = async (place: Chunk['next'], end: number, limit: number) => {
    const stream = await uploads.read({ key, version }, place.at, end);
    return stream && take(limit, splitLines(stream, place));
  };
  const end = chunk.at + chunk.bytes;
  if (chunk.next.at < end) {
    const lines = await readFrom(chunk.next, end, most);
    const last = lines?.at(-1);
    if (lines === undefined) return undefined;
    const after = last ? { line: last.line + 1, at: last.at + last.bytes } : { ...chunk.next, at: end };
    return { tasks: lines.map((line) => taskOf(line)), after };
  }
  const tasks: Task[] = [];
  for (const { line, at, bytes, attempts } of dueIn(chunk, now()).slice(0, most)) {
    const [found] = (await readFrom({ line, at }, at + bytes, 1)) ?? [];
    if (found === undefined) return undefined;
    tasks.push(taskOf(found, attempts));
  }
  return { tasks, after: chunk.next };
}

/** The request in a line of a wave, and what the crawl says of its URL. */
function waveLine({ content }: Line) {
  const { url, crawl } = WaveLine.parse(JSON.parse(String(content)));
  return { text: JSON.stringify({ url }), crawl };
}

function dueIn({ retries }: Chunk, now: Date): Chunk['retries'] {
  return retries.filter(({ due }) => due === undefined || due <= now);
}

/** The first so many lines. */
export const firstOf = (chunk: Chunk, found: Tasks, most: number): Tasks =>
  found.tasks.length > most ? leftBy(chunk, found, found.tasks.slice(0, most)) : found;

/** The first lines, and where the lines after them begin. */
export function leftBy({ next }: Chunk, { tasks: all, after }: Tasks, tasks: Task[]): Tasks {
  const [left] = all.slice(tasks.length);
  return { tasks, after: left && isFresh(next, left) ? { line: left.line, at: left.at } : after };
}

/** Whether no turn has had the line yet. */
export function isFresh(next: Chunk['next'], { line }: Pick<Task, 'line'>): boolean {
  return line >= next.line;
}

async function take<T>(limit: number, all: AsyncIterable<T>): Promise<T[]> {
  const taken: T[] = [];
  for await (const each of all) {
    taken.push(each);
    if (taken.length === limit) break;
  }
  return taken;
}
