import { createGunzip } from 'node:zlib';
import { pipeline } from 'node:stream';
import type { Attempt, DeliveredPart, Delivery } from '../../shared/contract/webhooks/webhook.ts';
import type { Crawl } from '../../shared/contract/crawls/crawl.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { addMs } from '../../shared/time/units.ts';
import { documentIn, largeDocument, type ResultLine } from '../../shared/compat/documents-page.ts';
import { eventIdOf } from '../../shared/domain/webhooks/event.ts';
import { isSuccess, type Sent } from '../../shared/domain/webhooks/state.ts';
import { partKey } from '../../shared/domain/batches/part-key.ts';
import { pictureLinks } from '../../shared/use-cases/scrape/picture-links.ts';
import { readManifest } from '../../shared/use-cases/crawls/read-manifest.ts';
import { splitLines } from '../../shared/domain/batches/split-lines.ts';

export type PartNeeds = Pick<Effects, 'results' | 'now'>;

/** After this no further document is sent: another one takes up to fifteen seconds. */
const SENDING_MS = 8_000;

type Post = (event: Pick<Delivery, 'id' | 'type' | 'body'>) => Promise<Attempt>;

/** Sends documents one after another, each as an event of its own, until one fails or the time is over. */
export async function sendPages(
  fx: PartNeeds,
  { type, orgId, subject = '', createdAt: at, body }: Delivery,
  part: DeliveredPart,
  { crawl, post }: Pick<Owner, 'crawl'> & { post: Post },
): Promise<Sent> {
  const until = addMs(fx.now(), SENDING_MS);
  const frame = JSON.parse(body) as object;
  let sent: Sent = { passed: part.passed, isAll: false, attempt: undefined };
  for await (const { document, line, passed } of partDocuments(fx, part, { orgId, id: subject, crawl })) {
    const id = eventIdOf({ type, orgId, subject, at, name: `${part.batchId}#${line}` });
    const text = JSON.stringify({ ...frame, webhookId: id, data: [document] });
    const attempt = await post({ id, type, body: text });
    if (!isSuccess(attempt)) return { ...sent, attempt };
    sent = { passed, isAll: false, attempt };
    if (fx.now() >= until) return sent;
  }
  return { ...sent, isAll: true };
}

/** Whose results they are: of a batch, or of the wave of a crawl. */
type Owner = { orgId: string; id: string; crawl: Crawl | undefined };

type PartDocument = {
  document: object;
  /** The number of its line in the batch or crawl, and of lines of the part up to it. */
  line: number;
  passed: number;
};

/** Ten are in memory at once, some three times over. */
const MAX_LINE_BYTES = 5_000_000;

/** Documents of a part after the lines that it has passed. An expired part has none. */
async function* partDocuments(
  fx: PartNeeds,
  part: DeliveredPart,
  owner: Owner,
): AsyncGenerator<PartDocument> {
  const isResult = await resultsIn(fx, part, owner);
  const reading = { jobId: owner.id, now: fx.now(), linkTo: pictureLinks(fx, owner.orgId) };
  let passed = 0;
  for await (const content of linesOf(fx, part, owner, 'pages')) {
    passed += 1;
    if (passed <= part.passed) continue;
    const text = content ?? (await headAt(fx, part, owner, passed));
    if (text === undefined) continue;
    const line = JSON.parse(text.toString()) as ResultLine;
    const { status, body } = line;
    if (status !== 'completed' || !isResult(line.line)) continue;
    if (content === undefined)
      yield { document: await largeDocument(line, reading), line: line.line, passed };
    else if (body !== undefined)
      yield { document: await documentIn(line, body, reading), line: line.line, passed };
  }
}

/** Which lines are results: a crawl leaves some out, such as duplicates. */
async function resultsIn(fx: PartNeeds, { batchId }: DeliveredPart, { crawl }: Owner) {
  if (crawl === undefined) return () => true;
  const { waves = [] } = (await readManifest(fx, crawl)) ?? {};
  const wave = waves.find(({ batch_id: id }) => id === batchId);
  const dropped = new Set(wave?.dropped);
  return (line: number) => wave !== undefined && !dropped.has(line);
}

/** The lines of a part. A line that is too large is undefined. */
async function* linesOf(fx: PartNeeds, part: DeliveredPart, { orgId }: Owner, kind: 'pages' | 'heads') {
  const stored = await fx.results.open(partKey({ orgId, ...part }, part.token, kind));
  if (stored === undefined) return;
  const lines = pipeline(stored, createGunzip(), () => undefined);
  for await (const { content } of splitLines(lines, undefined, MAX_LINE_BYTES)) yield content;
}

/** A line without its page. */
async function headAt(fx: PartNeeds, part: DeliveredPart, owner: Owner, number: number) {
  let at = 0;
  for await (const content of linesOf(fx, part, owner, 'heads')) if (++at === number) return content;
  return undefined;
}
