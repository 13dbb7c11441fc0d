import type { LedgerLine, Outcome } from '../../contract/crawls/crawl.ts';
import { WaveLine } from '../../contract/crawls/wave.ts';
import { linesIn } from './crawl-files.ts';
import { conclude, type MergeStep, renewLease } from './merge-step.ts';
import { turnTaker } from './take-turns.ts';

/** Gives a line of the queue its outcome. The caller removes it from there. */
export async function endWaiting(
  step: MergeStep,
  { url, crawl }: WaveLine,
  outcome: Outcome,
  more: Partial<LedgerLine> = {},
): Promise<void> {
  const { depth, via, found_on, lastmod, disallowed } = crawl;
  step.counts.queued -= 1;
  await conclude(step, {
    ...{ url, outcome, depth, via },
    ...(found_on && { found_on }),
    ...(lastmod && { lastmod }),
    ...(disallowed && { disallowed }),
    ...more,
  });
}

/** Gives all that waits the same outcome, and leaves unread what is unread. */
export async function endAll(step: MergeStep, outcome: Outcome): Promise<void> {
  await step.queue.close();
  const takeTurns = turnTaker();
  for (const { key, from } of step.manifest.queue) {
    await renewLease(step);
    let at = 0;
    for await (const line of linesIn(step.fx, key, WaveLine)) {
      await takeTurns();
      if (at >= from) await endWaiting(step, line, outcome);
      at += 1;
    }
  }
  step.manifest = { ...step.manifest, queue: [], unread: [], unchanged: [] };
}
