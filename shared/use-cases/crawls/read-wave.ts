import type { Chunk } from '../../contract/batches/chunk.ts';
import type { Crawl } from '../../contract/crawls/crawl.ts';
import type { Manifest } from '../../contract/crawls/manifest.ts';
import { Found, WaveLine } from '../../contract/crawls/wave.ts';
import { chunkIdOf } from '../../domain/batches/chunk-id.ts';
import { splitLines } from '../../domain/batches/split-lines.ts';
import { foundKey } from '../../domain/crawls/crawl-keys.ts';
import { linkWeight } from '../../domain/crawls/next-wave.ts';
import type { EndedLine } from '../../domain/crawls/ended-lines.ts';
import { forEachConcurrently } from '../../time/for-each-concurrently.ts';
import { linesIn } from './crawl-files.ts';
import type { PlanNeeds } from './merge-step.ts';

type Wave = NonNullable<Crawl['wave']>;

/** Chunks that are read at once: each is about a kilobyte. */
const PAGE = 500;
const CONCURRENCY = 20;

/** `waiting`: for another attempt, or for a host in a pause, with the ends of pauses by host. */
type EndedWave = {
  lines: EndedLine[];
  waiting: EndedLine[];
  pauses: Map<string, Date>;
  credits: number;
  /** See `linkWeight`. */
  links: number;
};

/** The lines of a wave, in the order of discovery, and what they cost. */
export async function readWave(
  fx: PlanNeeds,
  { batchId, firstLine }: Wave,
  { wave }: Manifest,
): Promise<EndedWave> {
  const chunks = await chunksOf(fx, batchId, wave?.sizes.length ?? 0);
  const found = new Map<number, Found>();
  const links = new Map<string, string>();
  const parts = chunks.flatMap((chunk) => chunk.parts.map(({ token }) => foundKey(chunk, token)));
  await forEachConcurrently(CONCURRENCY, parts, async (key) => {
    for await (const each of linesIn(fx, key, Found)) found.set(each.line, withShared(links, each));
  });
  const asked = await requestsOf(fx, wave);
  const ends = new Map(chunks.map(({ index, rest, putOff }) => [index, { rest, putOff }]));
  // Of a batch that was cancelled before it ran there are no chunks.
  const endOf = (index: number): ChunkEnd => ends.get(index) ?? { rest: 'cancelled' };
  const lineEnds = (wave?.sizes ?? []).flatMap((size, index) => Array<ChunkEnd>(size).fill(endOf(index)));
  const lines = asked.map((each, index) => {
    const line = firstLine + index;
    return { line, asked: each, found: found.get(line), ...lineEnds[index] };
  });
  lines.sort((a, b) => a.asked.crawl.place - b.asked.crawl.place);
  const waits = ({ found: each, putOff }: EndedLine) =>
    each ? each.outcome === 'retry' : putOff !== undefined;
  return {
    lines: lines.filter((line) => !waits(line)),
    waiting: lines.filter(waits),
    pauses: new Map(chunks.flatMap(({ crawl, putOff }) => (crawl && putOff ? [[crawl.host, putOff]] : []))),
    credits: chunks.reduce((sum, { credits }) => sum + credits, 0),
    links: linkWeight(found.values(), links.size),
  };
}

type ChunkEnd = Pick<EndedLine, 'rest' | 'putOff'>;

/** Most links are on many pages: each is kept once. */
function withShared(shared: Map<string, string>, found: Found): Found {
  const links = found.links?.map((link) => {
    const known = shared.get(link) ?? link;
    shared.set(known, known);
    return known;
  });
  return links ? { ...found, links } : found;
}

/** The chunks of a wave that exist. */
export async function chunksOf(
  fx: Pick<PlanNeeds, 'chunks'>,
  batchId: string,
  count: number,
): Promise<Chunk[]> {
  const ids = Array.from({ length: count }, (_, index) => chunkIdOf(batchId, index));
  const chunks: Chunk[] = [];
  for (let at = 0; at < ids.length; at += PAGE)
    chunks.push(...(await fx.chunks.findAll(ids.slice(at, at + PAGE))));
  return chunks;
}

async function requestsOf(fx: PlanNeeds, wave: Manifest['wave']): Promise<WaveLine[]> {
  const stream = wave && (await fx.uploads.read(wave, 0));
  if (stream === undefined) throw new Error('The requests of a wave are gone.');
  const lines: WaveLine[] = [];
  for await (const { content } of splitLines(stream, undefined, Infinity))
    if (content) lines.push(WaveLine.parse(JSON.parse(content.toString())));
  return lines;
}
