import type { EndReason } from '../../contract/accounts/account.ts';
import { LedgerLine } from '../../contract/crawls/crawl.ts';
import type { WaveLine } from '../../contract/crawls/wave.ts';
import { Kind } from '../../contract/scrape/mode.ts';
import { counterOf } from '../../domain/accounts/credits/usage-days.ts';
import { bytesKey, type DecidedLine, type EndedLine, errorOf } from '../../domain/crawls/ended-lines.ts';
import { ledgerLine, ledgerLineOf } from '../../domain/crawls/ledger-line.ts';
import type { SiteIdentity } from '../../domain/crawls/site-identity.ts';
import { outcomeOfError } from '../../domain/crawls/stop-reason.ts';
import { linesIn } from './crawl-files.ts';
import { conclude, type MergeStep, type PageLine, renewLease } from './merge-step.ts';

/** Writes what became of a wave's lines. Returns the rows of pages by their bytes. */
export async function concludeLines(
  step: MergeStep,
  decided: readonly DecidedLine[],
  { keyOf }: SiteIdentity,
): Promise<Map<bigint, number>> {
  const before = step.manifest.ledger.reduce((sum, { lines }) => sum + lines, 0);
  const places = decided.flatMap(({ sameAs }) => (typeof sameAs === 'number' ? [sameAs] : []));
  const urls = await urlsAt(step, new Set(places));
  const hashes = new Map<bigint, number>();
  for (const line of decided) {
    const { asked, found, outcome, target } = line;
    giveBack(step, line);
    if (line.waitsFor !== undefined) continue;
    const sameAs = typeof line.sameAs === 'number' ? urls.get(line.sameAs) : line.sameAs;
    if (outcome === 'page' && found?.hash) hashes.set(bytesKey(found.hash), before + step.ledger.count() + 1);
    await conclude(step, withSame(ledgerLineOf(line), sameAs));
    if (target) {
      const { depth } = asked.crawl;
      const sighting = { url: target.url, depth, via: 'redirect', foundOn: asked.url } as const;
      const same = target.outcome === 'duplicate' ? (sameAs ?? asked.url) : undefined;
      await conclude(step, withSame(ledgerLine(sighting, target.outcome), same));
    }
    count(step, line);
    const page = pageLineOf(line, keyOf(new URL(asked.url)));
    if (page) await step.pages.add(page);
  }
  return hashes;
}

/**
 * The end of the queue: URLs that failed and may succeed later, whose host is paused, or that lead to a URL
 * that waits.
 */
export function linesForLater(waiting: readonly EndedLine[], decided: readonly DecidedLine[]): WaveLine[] {
  const again = waiting.map(({ asked, found, putOff }): WaveLine => {
    const { attempts, due } = found ?? { attempts: asked.crawl.attempts, due: putOff?.toISOString() };
    return { ...asked, crawl: { ...asked.crawl, attempts, due } };
  });
  const led = decided.flatMap(({ asked, found, waitsFor: to }): WaveLine[] => {
    if (to === undefined) return [];
    const { target_status, verdict } = found ?? {};
    return [{ ...asked, crawl: { ...asked.crawl, led: { to, target_status, verdict } } }];
  });
  return [...again, ...led];
}

const withSame = (line: LedgerLine, sameAs: string | undefined): LedgerLine =>
  sameAs === undefined ? line : { ...line, same_as: sameAs };

/** The URLs at places of the ledger. Only the parts with such a place are read. */
async function urlsAt(step: MergeStep, places: ReadonlySet<number>): Promise<Map<number, string>> {
  const urls = new Map<number, string>();
  let first = 0;
  for (const { key, lines } of step.manifest.ledger) {
    const end = first + lines;
    if ([...places].some((place) => place >= first && place < end)) {
      await renewLease(step);
      let place = first;
      for await (const { url } of linesIn(step.fx, key, LedgerLine)) {
        if (places.has(place)) urls.set(place, url);
        place += 1;
      }
    }
    first = end;
  }
  return urls;
}

/** Why a page that was charged is given back. */
const GIVEN_BACK: Partial<Record<DecidedLine['outcome'], EndReason>> = {
  duplicate: 'duplicate',
  content_use: 'refused',
};

function count(step: MergeStep, line: DecidedLine): void {
  const { found, outcome, asked } = line;
  const code = errorOf(line);
  const wasAsked = found !== undefined || (code !== undefined && outcomeOfError(code) === 'failed');
  step.counts.asked += Number(wasAsked);
  const { seeds, linked } = step.manifest;
  const isSeed = asked.crawl.via === 'seed';
  const hasAnswered = found?.target_status !== undefined || ['unchanged', 'page', 'robots'].includes(outcome);
  step.manifest = {
    ...step.manifest,
    linked: linked + Number(found?.links !== undefined),
    seeds: {
      ...seeds,
      answered: seeds.answered + Number(isSeed && hasAnswered),
      unreachable: seeds.unreachable + Number(isSeed && !hasAnswered),
    },
  };
}

/** Its scrapes are counted again under the reason. */
function giveBack({ refund: given }: MergeStep, { found, outcome }: DecidedLine): void {
  const reason = GIVEN_BACK[outcome];
  if (!reason || !found || found.credits === 0) return;
  const { credits, counter } = found;
  const kind = Kind.options.find((each) => counter.startsWith(`${each}_`)) ?? 'plain';
  given.charged -= credits;
  const more = { [counter]: -1, [counterOf(kind, 'credits')]: -credits, [counterOf(kind, reason)]: 1 };
  for (const [name, value] of Object.entries(more)) given.counts[name] = (given.counts[name] ?? 0) + value;
}

/** What a later crawl needs to know of a page. */
function pageLineOf({ found, asked, outcome }: DecidedLine, key: bigint): PageLine | undefined {
  if (!found || (outcome !== 'page' && outcome !== 'unchanged')) return undefined;
  const { since } = asked.crawl;
  const isSame = outcome === 'unchanged';
  const etag = found.etag ?? (isSame ? since?.etag : undefined);
  const lastModified = found.last_modified ?? (isSame ? since?.last_modified : undefined);
  return {
    key: key.toString(16),
    fetched_at: found.fetched_at,
    ...(etag && { etag }),
    ...(lastModified && { last_modified: lastModified }),
  };
}
