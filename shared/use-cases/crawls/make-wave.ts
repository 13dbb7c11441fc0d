import type { Crawl } from '../../contract/crawls/crawl.ts';
import { splitLines } from '../../domain/batches/split-lines.ts';
import { accepted } from '../../domain/batches/state.ts';
import { cutWave, type NewWave, waveBatch } from '../../domain/crawls/wave.ts';
import { AppError } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';
import { forEachConcurrently } from '../../time/for-each-concurrently.ts';
import { acceptBatch, type AcceptNeeds } from '../batches/accept-batch.ts';
import { MAX_WAKE_SECONDS } from '../jobs/wake-workers.ts';
import { cancelWave } from './cancel-wave.ts';
import { type FileNeeds, readManifest } from './crawl-files.ts';
import { putOffPaused } from './put-off-paused.ts';

export type WaveNeeds = AcceptNeeds & Pick<Effects, 'batches' | 'chunks' | 'uploads'>;
type PlannedNeeds = WaveNeeds & FileNeeds & Pick<Effects, 'targetHosts'>;

const CONCURRENCY = 50;

/**
 * Has workers run a wave of a crawl: `key` was written by `uploads.write`, once, with a `WaveLine` on each
 * line, of one host in runs. Safe to run again, at any time and after a death at any point.
 */
export async function makeWave(fx: WaveNeeds, crawl: Crawl, wave: NewWave): Promise<void> {
  const batch = (await fx.batches.find(wave.batchId)) ?? (await newWaveBatch(fx, crawl, wave));
  if (batch.state !== 'reading' || batch.cancelledAt) return;
  const { key, version = '' } = batch.upload;
  const stored = await fx.uploads.read({ key, version }, 0);
  if (stored === undefined) throw linesGone(key);
  const lines = splitLines(stored, { at: 0, line: wave.firstLine });
  const chunks = await cutWave(crawl, batch, lines, wave.sizes);
  await forEachConcurrently(CONCURRENCY, chunks, async (chunk) => fx.chunks.create(chunk));
  await acceptBatch(fx, accepted(batch, { lines: wave.lines, chunks: chunks.length }, fx.now()));
  const later = chunks.flatMap(({ notBefore }) => notBefore ?? []);
  for (const at of new Set(later.map((each) => secondsUntil(each, fx.now()))))
    await fx.queue.wake(crawl.orgId, at);
}

const secondsUntil = (time: Date, now: Date) =>
  Math.min(Math.max(0, Math.ceil((time.getTime() - now.getTime()) / 1_000)), MAX_WAKE_SECONDS);

async function newWaveBatch({ uploads, batches, now }: WaveNeeds, crawl: Crawl, wave: NewWave) {
  const found = await uploads.find(wave.key);
  if (found === undefined) throw linesGone(wave.key);
  const batch = waveBatch(crawl, wave, found.version, now());
  return (await batches.create(batch)) ? batch : ((await batches.find(wave.batchId)) ?? batch);
}

const linesGone = (key: string) => new AppError('internal', { cause: new Error(`${key} is gone.`) });

/** Whether a wave can be merged. If its batch is not complete, it is made. */
export async function waveHasEnded(
  fx: PlannedNeeds,
  crawl: Crawl,
  wave: NonNullable<Crawl['wave']>,
): Promise<boolean> {
  const batch = await fx.batches.find(wave.batchId);
  if (batch?.completedAt) return true;
  if (batch === undefined || batch.state === 'reading') {
    const { wave: stored } = await readManifest(fx, crawl.manifest ?? '');
    await makeWave(fx, crawl, { ...wave, key: stored?.key ?? '', sizes: stored?.sizes ?? [] });
  }
  if (crawl.cancelledAt) await cancelWave(fx, wave.batchId);
  else if (batch?.state === 'accepted') await putOffPaused(fx, crawl, batch);
  return false;
}
