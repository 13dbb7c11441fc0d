import type { BatchResult } from '../contract/batches/batch.ts';
import { Envelope } from '../contract/scrape/envelope.ts';
import { howOf, lastTried, PRICES } from '../contract/scrape/mode.ts';
import { documentOf, type PictureLink } from './document.ts';

/** What one response holds of a job's documents, at most, before the last of them. */
const MAX_BYTES = 10_000_000;

/** A stored line of a batch. */
export type ResultLine = Pick<BatchResult, 'line' | 'status' | 'url' | 'credits_used' | 'body'> &
  Partial<
    Pick<
      BatchResult,
      | 'mode_tried'
      | 'cache'
      | 'age'
      | 'completed_at'
      | 'error'
      | 'error_code'
      | 'target_url'
      | 'target_status'
    >
  >;
type Line = ResultLine & Pick<BatchResult, 'cursor'>;

/** Of documents: how their ids begin, when they are read, and links to their pictures. */
type Reading = { jobId: string; now: Date; linkTo: PictureLink };

export type Page = {
  documents: object[];
  /** Of the last line that was read; undefined if there was none. */
  cursor: string | undefined;
  /** Whether it ended before all lines were read. */
  isCut: boolean;
};

/** The documents of result lines. A request that failed has none: it is among the errors. */
export async function documentsPage(
  lines: AsyncIterable<Uint8Array> | Uint8Array,
  reading: Reading,
): Promise<Page> {
  const page: Page = { documents: [], cursor: undefined, isCut: false };
  let bytes = 0;
  for await (const text of linesIn(lines)) {
    if (bytes > MAX_BYTES) return { ...page, isCut: true };
    const line = JSON.parse(text) as Line;
    page.cursor = line.cursor;
    if (line.status !== 'completed' || line.body === undefined) continue;
    bytes += text.length;
    page.documents.push(await documentIn(line, line.body, reading));
  }
  return page;
}

/** The document of a line. If the page is not kept as `format=json`, a warning says where it is. */
export const documentIn = (line: ResultLine, body: string, reading: Reading): Promise<object> =>
  documentWith(line, pageIn(body) ?? withoutPage(line, NOT_KEPT), reading);

/** The document of a line without its page, which is too large for an event. */
export const largeDocument = (line: ResultLine, reading: Reading): Promise<object> =>
  documentWith(line, withoutPage(line, TOO_LARGE), reading);

type Kept = { envelope: Envelope; warnings?: string[] };

function documentWith(line: ResultLine, page: Kept, { jobId, now, linkTo }: Reading): Promise<object> {
  const { url: sourceUrl = '', credits_used: credits, cache, age, completed_at: completedAt } = line;
  return documentOf(
    {
      ...page,
      ...{ sourceUrl, scrapeId: `${jobId}-${line.line}`, credits, cache, age },
      isPremium: isPremium(line.mode_tried, credits),
      at: completedAt === undefined ? now : new Date(completedAt),
    },
    linkTo,
  );
}

/** What `format=json` always has. */
const Head = Envelope.pick({ url: true, status: true, redirects: true, headers: true, cookies: true });

function pageIn(body: string): { envelope: Envelope } | undefined {
  try {
    const envelope: unknown = JSON.parse(body);
    return Head.safeParse(envelope).success ? { envelope: envelope as Envelope } : undefined;
  } catch {
    return undefined;
  }
}

const NOT_KEPT =
  'The page is not kept as format=json: it is at GET /api/v1/scraper/batches/{batch_id}/results.';
const TOO_LARGE = 'The page is too large for an event: it is at GET /v2/scrape/{scrapeId}.';

function withoutPage(
  { url = '', target_url: target = url, target_status: status = 200 }: ResultLine,
  warning: string,
): Kept {
  const envelope: Envelope = { url: target, status, redirects: 0, headers: {}, cookies: {} };
  return { envelope, warnings: [warning] };
}

/** Whether a page was fetched through the premium proxy, by what was tried or else by its price. */
export function isPremium(tried: BatchResult['mode_tried'], credits: number): boolean {
  const kind = lastTried(tried);
  return (kind !== undefined && howOf(kind).premiumProxy) || credits >= PRICES.premium;
}

async function* linesIn(content: AsyncIterable<Uint8Array> | Uint8Array): AsyncGenerator<string> {
  let rest: Uint8Array[] = [];
  const chunks = content instanceof Uint8Array ? [content] : content;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      yield textOf([...rest, chunk.subarray(start, end)]);
      rest = [];
      start = end + 1;
    }
    if (start < chunk.byteLength) rest.push(chunk.subarray(start));
  }
}

const LINE_FEED = 10;
const textOf = (parts: readonly Uint8Array[]) => Buffer.concat(parts).toString();
