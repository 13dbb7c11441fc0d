import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { LedgerLine, type Outcome } from '../../contract/crawls/crawl.ts';
import { splitLines } from '../../domain/batches/split-lines.ts';
import type { ManifestNeeds, ShownManifest } from './read-manifest.ts';

/** `from`: lines of the ledger, with any outcome, that come before. `limit`: lines of the page, at most. */
type Wanted = { from: number; outcome?: Outcome | undefined; limit?: number };

export type LedgerPage = {
  /** Lines of JSON. */
  lines: Buffer;
  /** Where the next page begins, or would once there are more lines. */
  next: number;
  isLast: boolean;
};

/** A page ends before this, as one of a list does: slow readers of more would hold up others. */
const MAX_BYTES = 256 * 1_024;
/** Lines of parts that are read for one page. */
const MAX_READ = 200_000;

/** URLs of a crawl that have an outcome, in the order in which they got it. */
export async function readLedger(
  fx: ManifestNeeds,
  { ledger }: Pick<ShownManifest, 'ledger'>,
  { from, outcome, limit = Infinity }: Wanted,
): Promise<LedgerPage> {
  const taken: Buffer[] = [];
  let [bytes, read, at] = [0, 0, 0];
  for (const part of ledger) {
    const end = at + part.lines;
    const isSkipped = end <= from || (outcome !== undefined && !part.outcomes[outcome]);
    if (!isSkipped) {
      if (read >= MAX_READ) return { lines: Buffer.concat(taken), next: Math.max(at, from), isLast: false };
      read += part.lines;
      for await (const { place, content } of linesOf(fx, part.key, at)) {
        if (place < from || !hasOutcome(content, outcome)) continue;
        bytes += content.byteLength + 1;
        if (taken.length > 0 && (bytes > MAX_BYTES || taken.length === limit))
          return { lines: Buffer.concat(taken), next: place, isLast: false };
        taken.push(Buffer.concat([content, LINE_FEED]));
      }
    }
    at = end;
  }
  return { lines: Buffer.concat(taken), next: Math.max(at, from), isLast: true };
}

const LINE_FEED = Buffer.from('\n');

/** All lines of these outcomes, in their order. */
export async function* ledgerLines(
  fx: ManifestNeeds,
  { ledger }: Pick<ShownManifest, 'ledger'>,
  outcomes: readonly Outcome[],
): AsyncGenerator<LedgerLine> {
  for (const part of ledger) {
    if (!outcomes.some((outcome) => part.outcomes[outcome])) continue;
    for await (const { content } of linesOf(fx, part.key, 0)) {
      const line = LedgerLine.parse(JSON.parse(content.toString()));
      if (outcomes.includes(line.outcome)) yield line;
    }
  }
}

/** The lines of a part, by their places in the ledger. An expired part has none. */
async function* linesOf({ results }: ManifestNeeds, key: string, first: number) {
  const stored = await results.open(key);
  if (stored === undefined) return;
  const lines = splitLines(
    pipeline(stored, createGunzip(), () => undefined),
    { line: first, at: 0 },
  );
  for await (const { line: place, content } of lines) if (content) yield { place, content };
}

function hasOutcome(content: Buffer, outcome: Outcome | undefined): boolean {
  if (outcome === undefined) return true;
  return (JSON.parse(content.toString()) as { outcome?: unknown }).outcome === outcome;
}
