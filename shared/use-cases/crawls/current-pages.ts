import type { WaveLine } from '../../contract/crawls/wave.ts';
import { isUnchanged } from '../../domain/crawls/last-change.ts';
import { siteIdentity } from '../../domain/crawls/site-identity.ts';
import { endWaiting } from './end-waiting.ts';
import { linesIn } from './crawl-files.ts';
import { earlierManifest } from './first-sightings.ts';
import { type MergeStep, PageLine } from './merge-step.ts';
import { turnTaker } from './take-turns.ts';

/**
 * With `changed_since`: ends the lines of pages whose `lastmod` says that they have not changed, and lets the
 * others be requested only if they have. Returns these others.
 */
export async function currentPages(step: MergeStep, lines: readonly WaveLine[]): Promise<WaveLine[]> {
  const { changedSince, query } = step.crawl.request;
  if (changedSince === undefined || lines.length === 0) return [...lines];
  const { keysOf, keyOf } = siteIdentity(query, step.manifest.sameAs);
  const names = lines.map(({ url }) => keysOf(new URL(url)).map((key) => key.toString(16)));
  const earlier = await pagesAmong(step, changedSince, new Set(names.flat()));
  const left: WaveLine[] = [];
  for (const [index, line] of lines.entries()) {
    const page = (names[index] ?? []).map((name) => earlier.get(name)).find((each) => each !== undefined);
    if (page && isUnchanged(line.crawl.lastmod, page.fetched_at)) {
      await endWaiting(step, line, 'unchanged');
      await step.pages.add({ ...page, key: keyOf(new URL(line.url)).toString(16) });
      const { url, crawl } = line;
      step.manifest = {
        ...step.manifest,
        unchanged: [...step.manifest.unchanged, { url, depth: crawl.depth }],
      };
    } else left.push(page ? withSince(line, page) : line);
  }
  return left;
}

async function pagesAmong(
  step: MergeStep,
  id: string,
  names: ReadonlySet<string>,
): Promise<Map<string, PageLine>> {
  const takeTurns = turnTaker();
  const found = new Map<string, PageLine>();
  const earlier = await earlierManifest(step, id);
  for (const key of earlier?.pages ?? []) {
    for await (const page of linesIn(step.fx, key, PageLine)) {
      await takeTurns();
      if (names.has(page.key)) found.set(page.key, page);
    }
  }
  return found;
}

function withSince(line: WaveLine, { etag, last_modified }: PageLine): WaveLine {
  if (etag === undefined && last_modified === undefined) return line;
  const since = { ...(etag && { etag }), ...(last_modified && { last_modified }) };
  return { ...line, crawl: { ...line.crawl, since } };
}
