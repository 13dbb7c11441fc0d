import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import type { Chunk } from '../../../shared/contract/batches/chunk.ts';
import { type Crawl, LedgerLine } from '../../../shared/contract/crawls/crawl.ts';
import type { Manifest } from '../../../shared/contract/crawls/manifest.ts';
import { type Found, WaveLine } from '../../../shared/contract/crawls/wave.ts';
import { CrawlRequest } from '../../../shared/contract/crawls/crawl-request.ts';
import { crawlCounts } from '../../../shared/domain/crawls/crawl-view.ts';
import { foundKey } from '../../../shared/domain/crawls/crawl-keys.ts';
import { cancelled, newCrawl } from '../../../shared/domain/crawls/crawl-state.ts';
import { MAX_ATTEMPTS } from '../../../shared/domain/work/attempts.ts';
import { AppError } from '../../../shared/errors.ts';
import { openRequestLog } from '../../../shared/observe/request-log.ts';
import { linesIn, readManifest } from '../../../shared/use-cases/crawls/crawl-files.ts';
import { planCrawl } from '../../../shared/use-cases/crawls/plan-crawl.ts';
import { inMemoryWorld } from '../world/in-memory-world.ts';
import { type Death, Died, mortal } from '../world/mortal.ts';
import { newOrganization } from '../world/organization.ts';
import { type Random, randomOf } from '../world/random.ts';
import type { RandomWeb, WebPage } from './random-web.ts';

const LEASE_MS = 4 * 60_000;
const START = Date.parse('2026-11-26T12:00:00Z');

type Wanted = Partial<CrawlRequest> & { retryOf?: string; retryInclude?: Crawl['retryInclude'] };

/** Crawls of a web whose waves are run in a random order, by an engine that stands for the workers. */
export async function crawlLife(web: RandomWeb, schedule: number) {
  const world = inMemoryWorld();
  const random = randomOf(schedule);
  const { org_id: orgId, key_id: keyId } = await newOrganization(world, { overrides: { credits: 100_000 } });
  let time = START;
  /** URLs that a worker has requested, in that order. */
  const requested: string[] = [];
  const fx = {
    ...world,
    now: () => new Date(time),
    fetchPage: async ({ url }: { url: string }) => {
      await Promise.resolve();
      // Every schedule divides the reading of files differently.
      if (schedule > 0) time += random.int(25_000);
      const body = web.files.get(url.replace('http:', 'https:'));
      if (body === undefined) throw new AppError('connect_failed');
      return { status: 200, url, redirects: 0, contentType: 'text/plain', body: Buffer.from(body) };
    },
  };
  const find = async (id: string): Promise<Crawl> => {
    const crawl = await world.crawls.find(id);
    if (crawl === undefined) throw new Error('There is no such crawl.');
    return crawl;
  };
  const context = {
    robotsToken: 'Sitefetch',
    requestLog: openRequestLog(),
    signal: new AbortController().signal,
  };
  const plan = async (id: string, death?: Death) => {
    const { hasDied, ...ports } = mortal(fx, death);
    await planCrawl(ports, id, context).catch((error: unknown) => {
      if (!(error instanceof Died) && !hasDied()) throw error;
    });
    if (hasDied()) time += LEASE_MS;
    return hasDied();
  };

  return {
    world,
    fx,
    orgId,
    requested,
    find,
    plan,
    pass: (ms: number) => void (time += ms),
    begin: async ({ retryOf, retryInclude, ...wanted }: Wanted): Promise<string> => {
      const request = CrawlRequest.parse({ urls: [web.seed], request: {} });
      const id = world.newId();
      const retry = { ...(retryOf && { retryOf }), ...(retryInclude && { retryInclude }) };
      const crawl = { id, orgId, keyId, requestId: 'r', request: { ...request, ...wanted }, ...retry };
      await world.crawls.create(newCrawl(crawl, fx.now()));
      return id;
    },
    cancel: async (id: string) => {
      const crawl = await find(id);
      await world.crawls.replace(crawl, cancelled(crawl, fx.now()));
    },
    /** Runs the wave of a crawl. False if there is nothing to run. */
    runWave: async (id: string, answer: Answer = foundAt(web)): Promise<boolean> => {
      const { wave } = await find(id);
      const batch = wave && (await world.batches.find(wave.batchId));
      if (batch?.state !== 'accepted' || batch.completedAt) return false;
      const chunks = world.chunks.all().filter(({ batchId }) => batchId === batch.id);
      const runner = { fx, random, requested, answer, upload: batch.upload };
      for (const chunk of shuffled(random, chunks)) await runChunk(runner, chunk);
      await world.batches.complete(batch.id, fx.now());
      return true;
    },
    counts: async (id: string) => crawlCounts(await find(id)),
    manifest: async (id: string): Promise<Manifest> => readManifest(fx, (await find(id)).manifest ?? ''),
    ledger: async (id: string): Promise<LedgerLine[]> => {
      const { ledger } = await readManifest(fx, (await find(id)).manifest ?? '');
      const lines: LedgerLine[] = [];
      for (const { key } of ledger) for await (const line of linesIn(fx, key, LedgerLine)) lines.push(line);
      return lines;
    },
  };
}

export type CrawlLife = Awaited<ReturnType<typeof crawlLife>>;
type Answer = (line: WaveLine, number: number) => Found | undefined;

type Runner = {
  fx: CrawlLife['fx'];
  random: Random;
  requested: string[];
  answer: Answer;
  upload: { key: string; version?: string | undefined };
};

/** Runs the lines of a chunk in one or several turns, each of which stores what it found. */
async function runChunk({ fx, random, requested, answer, upload }: Runner, chunk: Chunk): Promise<void> {
  const { key, version = '' } = upload;
  const stream = await fx.uploads.read({ key, version }, chunk.at, chunk.at + chunk.bytes);
  const texts = stream ? (await buffer(stream)).toString().trim().split('\n') : [];
  const lines = texts.map((text) => WaveLine.parse(JSON.parse(text)));
  let after = chunk;
  const found = shuffled(random, [...lines.entries()]).flatMap(([index, line]) => {
    const each = answer(line, chunk.firstLine + index);
    if (each && each.outcome !== 'retry') requested.push(line.url);
    return each ?? [];
  });
  for (let at = 0, token = 1; at < found.length; token += 1) {
    const turn = found.slice(at, at + 1 + random.int(25));
    at += turn.length;
    const text = turn.map((each) => `${JSON.stringify(each)}\n`).join('');
    await fx.results.put(foundKey(chunk, token), gzipSync(text));
    const credits = after.credits + turn.reduce((sum, each) => sum + each.credits, 0);
    after = { ...after, credits, parts: [...after.parts, { token, lines: turn.length, bytes: 0 }] };
  }
  const rest = found.length < lines.length ? { rest: 'insufficient_credits' as const } : {};
  await fx.chunks.replace(chunk, { ...after, ...rest, status: 'closed' });
}

function shuffled<T>(random: Random, all: readonly T[]): T[] {
  return all
    .map((each) => ({ each, at: random.int(1_000_000) }))
    .sort((a, b) => a.at - b.at)
    .map(({ each }) => each);
}

/** What a worker finds at the pages of a web. */
export function foundAt({ pages }: RandomWeb): Answer {
  return ({ url, crawl: { since, attempts = 0 } }, line) => {
    const [end, page] = ended(pages, url);
    const rest = { line, counter: 'plain_page', fetched_at: '2026-11-26T12:00:00.000Z' };
    const faults = url.includes('/lost/') ? MAX_ATTEMPTS - 1 : (page?.faults ?? 0);
    if (attempts < faults) {
      const due = '2026-11-26T12:00:30.000Z';
      return { ...rest, outcome: 'retry', credits: 0, attempts: attempts + 1, due };
    }
    if (page === undefined) return { ...rest, outcome: 'failed', credits: 0, error_code: 'connect_failed' };
    const {
      status: target_status,
      links,
      canonical,
      bytes,
      contentUsage: content_usage,
      lastModified,
    } = page;
    if (since?.last_modified && since.last_modified === lastModified)
      return { ...rest, outcome: 'unchanged', credits: 1, target_status: 304 };
    const isPaid = target_status < 400 || target_status === 404 || target_status === 410;
    return {
      ...{ ...rest, target_status, links: [...new Set(links)] },
      ...(isPaid ? { outcome: 'page', credits: 1 } : { outcome: 'failed', credits: 0 }),
      ...(end !== url && { url: end }),
      ...(canonical && { canonical }),
      ...(content_usage && { content_usage }),
      ...(lastModified && { last_modified: lastModified }),
      hash: createHash('sha256').update(bytes).digest('hex').slice(0, 16),
    };
  };
}

function ended(pages: RandomWeb['pages'], url: string): [string, WebPage | undefined] {
  let [end, page] = [url, pages.get(url)];
  for (let hops = 0; page?.redirectsTo !== undefined && hops < 5; hops += 1) {
    end = page.redirectsTo;
    page = pages.get(end) ?? { status: 200, links: [], bytes: `at ${end}` };
  }
  return [end, page];
}

const MAX_STEPS = 600;

/** Plans and runs a crawl to its end. A schedule other than 0 has random deaths. Returns its ledger. */
export async function crawled(
  life: CrawlLife,
  id: string,
  schedule = 0,
  answer?: Answer,
): Promise<LedgerLine[]> {
  const random = randomOf(schedule + 1_000);
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const dies = schedule > 0 && random.chance(0.4);
    await life.plan(id, dies ? { call: 1 + random.int(60), isDone: random.chance(0.5) } : undefined);
    await expectWhole(life, id);
    await life.runWave(id, answer);
    const { completedAt, dueAt } = await life.find(id);
    if (completedAt && dueAt === undefined) return life.ledger(id);
  }
  throw new Error('The crawl does not end.');
}

/** What a crawl says is what its files have. */
async function expectWhole(life: CrawlLife, id: string): Promise<void> {
  const crawl = await life.find(id);
  if (crawl.manifest === undefined) return;
  const { ledger, queue } = await life.manifest(id);
  const lines = ledger.reduce((sum, part) => sum + part.lines, 0);
  const queued = queue.reduce((sum, part) => sum + part.lines - part.from, 0);
  const { discovered, ...others } = crawlCounts(crawl);
  expect([queued, discovered]).toEqual([crawl.queued, lines + queued + (crawl.wave?.lines ?? 0)]);
  expect(Object.values(others).reduce((sum, count) => sum + count)).toBe(discovered);
}
