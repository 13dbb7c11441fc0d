import type { Manifest } from '../../contract/crawls/manifest.ts';
import { WaveLine } from '../../contract/crawls/wave.ts';
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

/** The first lines of parts that have a host which may be requested. Parts of paused hosts are not read. */
export async function openWindow(
  { fx, manifest: { queue } }: MergeStep,
  pausedUntil: PausedUntil,
): Promise<WaveWindow> {
  const isUnknown = queue.some(({ hosts }) => hosts === undefined);
  const due = isUnknown
    ? undefined
    : firstDue(new Set(queue.flatMap(({ hosts = [] }) => hosts)), pausedUntil);
  const isOpen = ({ from, lines, hosts }: Part) =>
    lines - from < SMALL_PART || (hosts?.some((host) => pausedUntil(host) === due) ?? true);
  const window: WaveWindow = { due, lines: [], parts: [] };
  for (const part of queue) {
    const before = window.lines.length;
    if (before < QUEUE_LINES && isOpen(part)) {
      let at = 0;
      for await (const line of linesIn(fx, part.key, WaveLine)) {
        if (at >= part.from) window.lines.push(line);
        at += 1;
        if (window.lines.length === QUEUE_LINES) break;
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
