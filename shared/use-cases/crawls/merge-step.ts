import { z } from 'zod';
import type { Crawl, LedgerLine, Outcome } from '../../contract/crawls/crawl.ts';
import type { Manifest } from '../../contract/crawls/manifest.ts';
import type { WaveLine } from '../../contract/crawls/wave.ts';
import { periodOf } from '../../domain/accounts/credits/usage-days.ts';
import { hostOf } from '../../domain/crawls/crawl-rules.ts';
import { type CrawlFile, crawlKey } from '../../domain/crawls/crawl-keys.ts';
import { changed, type CrawlChanges, MERGE_LEASE_MS } from '../../domain/crawls/crawl-state.ts';
import type { RequestLog } from '../../observe/request-log.ts';
import type { Effects } from '../../ports/effects.ts';
import type { AcceptNeeds } from '../batches/accept-batch.ts';
import { addMs } from '../../time/units.ts';
import { withRows } from '../../domain/crawls/sorted-table.ts';
import { type LineWriter, lineWriter, storeManifest, storeTable, tableIn } from './crawl-files.ts';

export type PlanNeeds = AcceptNeeds &
  Pick<
    Effects,
    'crawls' | 'targetHosts' | 'uploads' | 'results' | 'fetchPage' | 'renderPage' | 'newId' | 'wait'
  >;

export type PlanContext = {
  /** The crawler's name in robots.txt. */
  robotsToken: string;
  requestLog: RequestLog;
  /** Aborts when the worker itself must stop. */
  signal: AbortSignal;
};

/** A page of this crawl, for a later one: a line of the files `pages`. */
export const PageLine = z.object({
  /** The fingerprint of its URL, hexadecimal. */
  key: z.string(),
  fetched_at: z.string(),
  etag: z.string().optional(),
  last_modified: z.string().optional(),
});
export type PageLine = z.infer<typeof PageLine>;

/** A merge under a lease: what it knows so far, and the files that it writes. */
export type MergeStep = PlanContext & {
  fx: PlanNeeds;
  /** What was written last. */
  crawl: Crawl;
  /** Of the version that is being made. */
  manifest: Manifest;
  /** What a commit writes into the crawl. */
  counts: Pick<Crawl, 'outcomes' | 'queued' | 'asked' | 'credits'>;
  refund: { charged: number; counts: Record<string, number> };
  /** What waits ends so: nothing more is requested. */
  rest?: Outcome | undefined;
  ledger: LineWriter<LedgerLine>;
  queue: LineWriter<WaveLine>;
  pages: LineWriter<PageLine>;
  keyOf: (file: CrawlFile, part?: number) => string;
};

const LEDGER_LINES = 50_000;
/** The most lines that are read to choose a wave, and that are in memory for it. */
export const QUEUE_LINES = 50_000;
const PAGE_LINES = 50_000;

/** Begins a step. `known`: what the crawl knows before it. */
export function openStep(
  fx: PlanNeeds,
  crawl: Crawl,
  known: Manifest | undefined,
  context: PlanContext,
): MergeStep {
  const { outcomes, queued, asked, credits } = crawl;
  const version = crawl.version + 1;
  const keyOf: MergeStep['keyOf'] = (file, part) => crawlKey({ ...crawl, version }, file, part);
  const step: MergeStep = {
    ...context,
    ...{ fx, crawl, keyOf },
    manifest: { ...(known ?? NOTHING), version },
    counts: { outcomes: { ...outcomes }, queued, asked, credits },
    refund: { charged: 0, counts: {} },
    ...writersOf(fx, keyOf, (parts) => {
      step.manifest = { ...step.manifest, ...parts(step.manifest) };
    }),
  };
  return step;
}

type Parts = Pick<Manifest, 'ledger' | 'queue' | 'pages'>;

/** Writers whose parts are noted in the manifest. */
function writersOf(
  fx: PlanNeeds,
  keyOf: MergeStep['keyOf'],
  note: (parts: (known: Parts) => Partial<Parts>) => void,
): Pick<MergeStep, 'ledger' | 'queue' | 'pages'> {
  const keysOf = (file: CrawlFile) => (part: number) => keyOf(file, part);
  return {
    ledger: lineWriter(fx, keysOf('ledger'), LEDGER_LINES, (key, lines: readonly LedgerLine[]) => {
      const byOutcome = Object.entries(Object.groupBy(lines, ({ outcome }) => outcome));
      const outcomes = Object.fromEntries(byOutcome.map(([outcome, each]) => [outcome, each.length]));
      note(({ ledger }) => ({ ledger: [...ledger, { key, lines: lines.length, outcomes }] }));
    }),
    queue: lineWriter(fx, keysOf('queue'), QUEUE_LINES, (key, lines: readonly WaveLine[]) => {
      const hosts = [...new Set(lines.map(({ url }) => hostOf(new URL(url))))];
      note(({ queue }) => ({ queue: [...queue, { key, from: 0, lines: lines.length, hosts }] }));
    }),
    pages: lineWriter(fx, keysOf('pages'), PAGE_LINES, (key) =>
      note(({ pages }) => ({ pages: [...pages, key] })),
    ),
  };
}

const NOTHING: Manifest = {
  version: 0,
  ledger: [],
  queue: [],
  seen: [],
  hashes: [],
  fruitless: [],
  pages: [],
  waves: [],
  hosts: [],
  sameAs: [],
  begun: false,
  placed: 0,
  links: 0,
  linked: 0,
  seeds: { total: 0, disallowed: 0, unreachable: 0, answered: 0 },
  unread: [],
  unchanged: [],
};

/** Adds a URL with its outcome to the ledger. */
export async function conclude({ ledger, counts }: MergeStep, line: LedgerLine): Promise<void> {
  counts.outcomes[line.outcome] = (counts.outcomes[line.outcome] ?? 0) + 1;
  await ledger.add(line);
}

type Rows = ReadonlyMap<bigint, number>;

/** Writes the tables with these rows; a table without changes stays. */
export async function storeTables(
  step: MergeStep,
  changes: { seen?: Rows; hashes?: Rows; fruitless?: Rows },
): Promise<void> {
  for (const name of ['seen', 'hashes', 'fruitless'] as const) {
    const rows = changes[name];
    if (rows === undefined || rows.size === 0) continue;
    await renewLease(step);
    const table = withRows(tableIn(step.fx, step.manifest[name]), rows);
    const keys = await storeTable(step.fx, (part) => step.keyOf(name, part), table);
    step.manifest = { ...step.manifest, [name]: keys };
  }
}

/** Another process has the lease, or the crawl was cancelled: what this one has done counts for nothing. */
export class Overtaken extends Error {
  constructor() {
    super('Another process plans this crawl.');
  }
}

/** Keeps the lease of a merge that takes long. */
export async function renewLease(step: MergeStep): Promise<void> {
  const { fx, crawl, signal } = step;
  signal.throwIfAborted();
  const now = fx.now();
  if (crawl.leasedUntil && addMs(now, MERGE_LEASE_MS / 2) < crawl.leasedUntil) return;
  step.crawl = await replaced(fx, crawl, { leasedUntil: addMs(now, MERGE_LEASE_MS) });
}

/** Stores what the step has found, and makes it what the crawl knows, in one conditional write. */
export async function commit(step: MergeStep, changes: CrawlChanges): Promise<Crawl> {
  const { fx, crawl, counts, keyOf, refund } = step;
  for (const writer of [step.ledger, step.queue, step.pages]) await writer.close();
  const manifest = keyOf('manifest');
  await storeManifest(fx, manifest, step.manifest);
  const { version } = step.manifest;
  return replaced(fx, crawl, {
    ...{ manifest, version, ...counts },
    ...(Object.keys(refund.counts).length > 0 && {
      refund: { turn: version, period: periodOf(fx.now()), ...refund },
    }),
    leasedUntil: undefined,
    ...changes,
  });
}

/** The crawl with changes. Throws `Overtaken` if it was changed meanwhile. */
export async function replaced(
  fx: Pick<PlanNeeds, 'crawls' | 'now'>,
  before: Crawl,
  changes: CrawlChanges,
): Promise<Crawl> {
  const after = changed(before, changes, fx.now());
  if (!(await fx.crawls.replace(before, after))) throw new Overtaken();
  return after;
}
