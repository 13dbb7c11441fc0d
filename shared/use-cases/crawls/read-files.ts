import { setImmediate } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import type { MappedUrl, MapSource } from '../../contract/crawls/map.ts';
import { MAX_PAGE_BYTES } from '../../contract/scrape/page.ts';
import type { SiteRules } from '../../domain/crawls/outcome.ts';
import { bareHost, registrableDomain } from '../../domain/crawls/scope.ts';
import { readSitemap } from '../../domain/crawls/sitemaps.ts';
import { AppError } from '../../errors.ts';
import type { Judged } from '../scrape/judged-page.ts';
import { fetchFile } from './fetch-file.ts';
import { addAll, type FileReader, hasEnded, type Site } from './site.ts';

/** A sitemap or feed to read. */
export type FileTask = {
  url: URL;
  type: 'sitemap' | 'feed';
  /** Indexes that lead to it. */
  depth: number;
  /** Nothing says that it exists. */
  isGuess?: boolean;
};

/** Of indexes in indexes, which the protocol does not allow and some sites have. */
const MAX_DEPTH = 5;
const MAX_FILES = 1_000;
/** https://www.sitemaps.org/protocol.html#index */
const MAX_FILE_URLS = 50_000;
/** Files that are fetched while another one is read. */
const AHEAD = 3;

type Fetched = { task: FileTask; file: Judged | AppError };

/** Reads sitemaps and feeds, and what those lead to, in the order in which they are found. */
export async function* readFiles(
  site: Site,
  rules: SiteRules,
  first: readonly FileTask[],
): AsyncGenerator<MappedUrl> {
  const [queue, read] = [[...first], new Set<string>()];
  for await (const { task, file } of fetchedInOrder(site, queue, read)) {
    if (hasEnded(site)) return;
    const { url, type, isGuess = false } = task;
    if (read.has(spellings(url))) continue;
    const isThere = !(file instanceof AppError) && file.status < 300;
    if (isThere) {
      read.add(spellings(url));
      yield* readFile(site, rules, { task, file, queue });
    } else if (!isGuess) site.found.read({ url: url.href, type, ...faultOf(file) });
    if (hasEnded(site)) return;
  }
}

export const faultOf = (file: Judged | AppError) =>
  file instanceof AppError ? { error: file.code } : { status: file.status, error: 'status' };

/** Sitemaps are often listed with and without `www.`, and for http and https. */
const spellings = (url: URL) => bareHost(url) + url.pathname + url.search;

/** Fetches some files ahead of their reader, who may add to the queue. `read`: files that have been. */
async function* fetchedInOrder(
  { fx, context, found }: Site,
  queue: FileTask[],
  read: ReadonlySet<string>,
): AsyncGenerator<Fetched> {
  const begun = new Set<string>();
  let isFull = false;
  const ahead: { task: FileTask; file: Promise<Judged | AppError> }[] = [];
  for (;;) {
    while (ahead.length < AHEAD && queue.length > 0) {
      const task = queue.shift();
      if (!task || begun.has(task.url.href) || read.has(spellings(task.url))) continue;
      if (begun.size >= MAX_FILES) isFull = true;
      if (isFull) break;
      begun.add(task.url.href);
      ahead.push({ task, file: fetchFile(fx, task.url.href, context) });
    }
    const next = ahead.shift();
    if (next === undefined) break;
    yield { task: next.task, file: await next.file };
  }
  if (isFull) found.miss('files');
}

type Reading = { task: FileTask; file: Judged; queue: FileTask[] };

/** Reads a file. A guess that leads to something else, as where every path has a page, is left out. */
export async function* readFile(
  site: FileReader,
  rules: SiteRules,
  { task, file, queue }: Reading,
): AsyncGenerator<MappedUrl> {
  const source: MapSource = { url: file.url, type: task.type, status: file.status, urls: 0 };
  const { bytes, fault = file.contentTruncated && 'cut_off' } = await unpacked(file.body);
  let isNoted = false;
  for (const { kind, entries, isCut } of readSitemap(bytes, file.url, file.contentType)) {
    if (kind === undefined && task.isGuess) return;
    if (!isNoted) site.found.read(source);
    isNoted = true;
    if (kind === undefined) source.error = 'format';
    const urls = source.urls ?? 0;
    const pages = entries.filter(({ isSitemap }) => !isSitemap).slice(0, MAX_FILE_URLS - urls);
    source.urls = urls + pages.length;
    for (const entry of entries) if (entry.isSitemap) addChild(site, { task, file, queue }, entry.url);
    yield* addAll(
      site,
      rules,
      pages.map((page) => ({ ...page, source: task.type })),
    );
    if (urls + entries.length > MAX_FILE_URLS) source.error = 'too_many_urls';
    await setImmediate();
    if (hasEnded(site) || source.error !== undefined) return;
    if (isCut) source.error = 'cut_off';
  }
  if (fault) source.error ??= fault;
}

/** Queues a sitemap that an index leads to. Sitemaps of other sites are not read. */
function addChild({ found }: FileReader, { task: { depth }, file, queue }: Reading, url: URL): void {
  const isForeign = registrableDomain(url) !== registrableDomain(new URL(file.url));
  const error = depth >= MAX_DEPTH ? 'depth' : isForeign && 'out_of_scope';
  if (error) found.read({ url: url.href, type: 'sitemap', error });
  else if (queue.length >= MAX_FILES) found.miss('files');
  else queue.push({ url, type: 'sitemap', depth: depth + 1 });
}

type Unpacked = { bytes: Uint8Array; fault?: 'cut_off' | 'too_large' };

/** A file that may be gzip, whatever its name and type say, as far as it can be read and is not too large. */
async function unpacked(body: Uint8Array): Promise<Unpacked> {
  if (body[0] !== 0x1f || body[1] !== 0x8b) return { bytes: body };
  const { promise, resolve } = Promise.withResolvers<Pick<Unpacked, 'fault'>>();
  const chunks: Buffer[] = [];
  let size = 0;
  const gunzip = createGunzip();
  gunzip.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_PAGE_BYTES) chunks.push(chunk);
    else {
      gunzip.destroy();
      resolve({ fault: 'too_large' });
    }
  });
  gunzip.once('end', () => resolve({}));
  gunzip.once('error', () => resolve({ fault: 'cut_off' }));
  gunzip.end(body);
  const { fault } = await promise;
  return { bytes: Buffer.concat(chunks), ...(fault && { fault }) };
}
