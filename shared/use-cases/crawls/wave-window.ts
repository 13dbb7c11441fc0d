import type { Manifest } from '../../contract/crawls/manifest.ts';
import { WaveLine } from '../../contract/crawls/wave.ts';
import { hostOf } from '../../domain/crawls/crawl-rules.ts';
import { firstDue, type PausedUntil } from '../../domain/crawls/next-wave.ts';
import { linesIn } from './crawl-files.ts';
import { type MergeStep, QUEUE_LINES } from './merge-step.ts';

type Part = Manifest['queue'][number];

/** Lines of the queue from which a wave is chosen. */
export type WaveWindow = {
  /** When its lines may be requested, if all hosts of the queue are in a pause. */
  due: string | undefined;
  lines: WaveLine[];
  /** The parts of the queue, and how many of these lines each has. */
  parts: { part: Part; count: number }[];
};

/** Smaller parts are read anyway, and then joined, so that there are never many. */
const SMALL_PART = 1_000;
/** Further lines of a host to choose from, for some end without a request. */
const SPARE_LINES = 1_000;

type Limits = { pausedUntil: PausedUntil; mostAt: (host: string) => number };

/**
 * The first lines of parts that have a host which may be requested, and of which lines are wanted. Parts of
 * paused hosts are not read, nor what only adds to enough lines of slow ones.
 */
export async function openWindow(
  { fx, manifest: { queue } }: MergeStep,
  { pausedUntil, mostAt }: Limits,
): Promise<WaveWindow> {
  const isUnknown = queue.some(({ hosts }) => hosts === undefined);
  const due = isUnknown
    ? undefined
    : firstDue(new Set(queue.flatMap(({ hosts = [] }) => hosts)), pausedUntil);
  const counts = new Map<string, number>();
  const enoughAt = (host: string) => mostAt(host) + SPARE_LINES;
  const isWanted = (host: string) => pausedUntil(host) === due && (counts.get(host) ?? 0) < enoughAt(host);
  const isOpen = ({ hosts }: Part) => hosts?.some(isWanted) ?? true;
  const window: WaveWindow = { due, lines: [], parts: [] };
  /** Whether its host has just got enough. */
  const add = (line: WaveLine): boolean => {
    const host = hostOf(new URL(line.url));
    const count = (counts.get(host) ?? 0) + 1;
    counts.set(host, count);
    window.lines.push(line);
    return count === enoughAt(host);
  };
  for (const part of queue) {
    const before = window.lines.length;
    const isSmall = part.lines - part.from < SMALL_PART;
    if (before < QUEUE_LINES && (isSmall || isOpen(part))) {
      let at = 0;
      for await (const line of linesIn(fx, part.key, WaveLine)) {
        const isEnough = at >= part.from && add(line) && !isSmall && !isOpen(part);
        at += 1;
        if (isEnough || window.lines.length === QUEUE_LINES) break;
      }
    }
    window.parts.push({ part, count: window.lines.length - before });
  }
  return window;
}

/**
 * Takes what was chosen or has ended out of the queue; `left` has not ended. What was passed over stays in
 * its place, and is written again up to the last line that was taken. If nothing was chosen, all of the
 * window is, after which its parts have no host without lines.
 */
export async function shorten(
  step: MergeStep,
  { lines, parts }: WaveWindow,
  left: readonly WaveLine[],
  chosen: readonly WaveLine[],
): Promise<void> {
  const [kept, taken] = [placesIn(left), placesIn(chosen)];
  const stays = ({ crawl }: WaveLine) => kept.has(crawl.place) && !taken.has(crawl.place);
  const read = chosen.length === 0 ? lines.length : lines.findLastIndex((line) => !stays(line)) + 1;
  step.manifest = { ...step.manifest, queue: [] };
  let at = 0;
  for (const { part, count } of parts) {
    const gone = Math.min(count, Math.max(0, read - at));
    for (const line of lines.slice(at, at + gone)) if (stays(line)) await step.queue.add(line);
    at += count;
    if (part.from + gone === part.lines) continue;
    await step.queue.close();
    const rest = { ...part, from: part.from + gone };
    step.manifest = { ...step.manifest, queue: [...step.manifest.queue, rest] };
  }
  await step.queue.close();
  step.counts.queued -= chosen.length;
}

const placesIn = (lines: readonly WaveLine[]) => new Set(lines.map(({ crawl }) => crawl.place));
