import { text } from 'node:stream/consumers';
import { documentOf, type PictureLink } from '../../shared/compat/document.ts';
import { documentIn, isPremium, type ResultLine } from '../../shared/compat/documents-page.ts';
import type { Envelope } from '../../shared/contract/scrape/envelope.ts';
import { idOrNil } from '../../shared/domain/id-or-nil.ts';
import { isVisible } from '../../shared/domain/jobs/state.ts';
import { AppError } from '../../shared/errors.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { readResult } from '../../shared/http/read-result.ts';
import { json, type Reply } from '../../shared/http/reply.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { findLine } from '../../shared/use-cases/batches/find-line.ts';
import { visibleBatch } from '../../shared/use-cases/batches/find-batch.ts';
import { visibleCrawl } from '../../shared/use-cases/crawls/find-crawl.ts';
import { readManifest } from '../../shared/use-cases/crawls/read-manifest.ts';
import { pictureLinks } from '../../shared/use-cases/scrape/picture-links.ts';

export type DocumentNeeds = Pick<Effects, 'jobs' | 'batches' | 'chunks' | 'crawls' | 'results' | 'now'>;

/** Of a job, or the id of a batch or crawl with the number of a line. */
const SCRAPE_ID = /^([0-9a-f-]{36})(?:-(\d{1,9}))?$/;

const NO_SCRAPE =
  'There is no such scrape. The document of POST /v2/scrape is in its response alone: to read it later, use POST /v2/batch/scrape.';

/** The document of a job, or of a page of a batch or crawl. Throws the error of a scrape that failed. */
export async function documentReply(fx: DocumentNeeds, call: AuthenticatedCall): Promise<Reply> {
  const { id: orgId } = call.session.organization;
  const [, id = '', line] = SCRAPE_ID.exec(call.params['id'] ?? '') ?? [];
  const linkTo = pictureLinks(fx, orgId);
  const data =
    line === undefined
      ? await ofJob(fx, orgId, id, linkTo)
      : await ofLine(fx, { orgId, id, line: Number(line) }, linkTo);
  if (data === undefined) throw new AppError('not_found', { message: NO_SCRAPE });
  return json(200, { success: true, data });
}

async function ofJob(fx: DocumentNeeds, orgId: string, id: string, linkTo: PictureLink) {
  const job = await fx.jobs.find(idOrNil(id));
  if (job?.orgId !== orgId || !isVisible(job, fx.now())) return undefined;
  if (job.status === 'failed') throw new AppError(job.errorCode, { message: job.error, isOfJob: true });
  if (job.status !== 'completed') throw new AppError('job_not_finished', { retryAfter: 1 });
  const stored = job.request.format === 'json' ? await fx.results.open(job.resultKey) : undefined;
  if (stored === undefined) return undefined;
  const envelope = JSON.parse(
    await text(readResult(stored, job, { isGzip: false, range: undefined })),
  ) as Envelope;
  const { creditsUsed: credits, cache, age, completedAt: at } = job;
  const scrape = { envelope, sourceUrl: job.request.url, scrapeId: id, credits, cache, age, at };
  return documentOf({ ...scrape, isPremium: isPremium(job.modeTried, credits) }, linkTo);
}

type Place = { orgId: string; id: string; line: number };

async function ofLine(fx: DocumentNeeds, place: Place, linkTo: PictureLink) {
  const stored = await storedLine(fx, place);
  if (stored === undefined) return undefined;
  const line = JSON.parse(stored.toString()) as ResultLine;
  const { status, error_code: code = 'internal', error: message, body } = line;
  if (status === 'failed')
    throw new AppError(code, { ...(message !== undefined && { message }), isOfJob: true });
  return body === undefined ? undefined : documentIn(line, body, { jobId: place.id, now: fx.now(), linkTo });
}

async function storedLine(fx: DocumentNeeds, { orgId, id, line }: Place): Promise<Buffer | undefined> {
  const batch = await visibleBatch(fx, idOrNil(id));
  if (batch) return batch.orgId === orgId && !batch.crawlId ? findLine(fx, batch, line) : undefined;
  const crawl = await visibleCrawl(fx, idOrNil(id));
  if (crawl?.orgId !== orgId) return undefined;
  const { waves = [] } = (await readManifest(fx, crawl)) ?? {};
  const wave = waves.find(({ first_line: first, lines }) => line >= first && line < first + lines);
  if (wave === undefined || wave.dropped?.includes(line)) return undefined;
  const own = await fx.batches.find(wave.batch_id);
  return own && findLine(fx, own, line);
}
