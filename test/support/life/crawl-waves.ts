import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { v7 } from 'uuid';
import { z } from 'zod';
import type { Crawl } from '../../../shared/contract/crawls/crawl.ts';
import type { Found, WaveLine } from '../../../shared/contract/crawls/wave.ts';
import { CrawlFrame, CrawlRequest } from '../../../shared/contract/crawls/crawl-request.ts';
import { foundKey } from '../../../shared/domain/crawls/crawl-keys.ts';
import { newCrawl } from '../../../shared/domain/crawls/crawl-state.ts';
import { redirectDisallowed } from '../../../shared/domain/scrape/target/url-refusal.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import type { GetPage } from '../../../shared/ports/scrape.ts';
import { makeWave, type WaveNeeds } from '../../../shared/use-cases/crawls/make-wave.ts';
import { responseHeaders } from '../../../shared/contract/scrape/response-headers.ts';
import { targetServer } from '../servers/target-server.ts';

/** A crawl of these seeds that was just submitted. */
export function storedCrawl(orgId: string, request: object = {}, now = new Date(), keyId = 'key'): Crawl {
  const { url: _, ...frame } = CrawlFrame.parse({ urls: ['https://a.example/'], ...request });
  const whole = z.decode(CrawlRequest, { ...frame, urls: frame.urls ?? [] });
  return newCrawl({ id: v7(), orgId, keyId, requestId: 'request', request: whole }, now);
}

export type Visit = { path: string; at: number; active: number };
export type Reply = { status?: number; headers?: Record<string, string>; body?: string };

/** A web server that notes when each request came, and how many were in progress. */
export async function site(
  answer: (path: string, headers: NodeJS.Dict<string | string[]>) => Reply,
  now: () => Date,
) {
  const visits: Visit[] = [];
  let active = 0;
  const server = await targetServer((request, response) => {
    active += 1;
    const path = request.url ?? '';
    visits.push({ path, at: now().getTime(), active });
    const { status = 200, headers = {}, body = '' } = answer(path, request.headers);
    setImmediate(() => {
      active -= 1;
      response.writeHead(status, { 'Content-Type': 'text/html', ...headers }).end(body);
    });
  });
  return { ...server, visits, most: () => Math.max(0, ...visits.map((visit) => visit.active)) };
}

/** Fetches pages without the guard, which allows no server on loopback. */
export const overHttp: GetPage = async ({ url: first, headers = {} }, { signal, mayFollow }) => {
  let url = first;
  for (let redirects = 0; ; redirects += 1) {
    const response = await fetch(url, { headers, signal, redirect: 'manual' });
    const location = response.headers.get('location');
    const body = new Uint8Array(await response.arrayBuffer());
    const contentType = response.headers.get('content-type') ?? undefined;
    if (location === null || response.status < 300 || response.status > 399) {
      const head = { status: response.status, url, redirects, contentType };
      return { ...head, headers: responseHeaders(response.headers), body };
    }
    url = new URL(location, url).href;
    if ((await mayFollow?.(url)) === false) throw redirectDisallowed(url);
  }
};

/** The ids of crawls that are to be planned. They are not: the test decides what is requested. */
export function plannedIn({ queue }: Pick<Effects, 'queue'>): string[] {
  const planned: string[] = [];
  queue.planCrawl = ({ id }) => Promise.resolve(void planned.push(id));
  return planned;
}

type Storage = WaveNeeds & Pick<Effects, 'results' | 'chunks'>;

/** Lines of a chunk, so that a wave of a few lines has several. */
const CHUNK_LINES = 25;

/** Lines of each chunk: successive URLs of one host. */
export function sizesOf(lines: readonly Pick<WaveLine, 'url'>[]): number[] {
  const sizes: number[] = [];
  let last: string | undefined;
  for (const { url } of lines) {
    const { host } = new URL(url);
    const size = sizes.at(-1) ?? CHUNK_LINES;
    if (host === last && size < CHUNK_LINES) sizes.splice(-1, 1, size + 1);
    else sizes.push(1);
    last = host;
  }
  return sizes;
}

type NewWave = { firstLine?: number; batchId?: string; delay?: number; sizes?: number[] };

/** Has workers run these URLs of a crawl, whose first has this number. Returns the id of the batch. */
export async function beginWave(
  fx: Storage,
  crawl: Crawl,
  urls: readonly (string | WaveLine)[],
  { firstLine = 1, batchId = v7(), delay, sizes }: NewWave = {},
): Promise<string> {
  const key = `results/${crawl.orgId}/${crawl.id}/wave-${firstLine}-1.ndjson`;
  const lines = urls.map((each, place): WaveLine => {
    if (typeof each !== 'string') return each;
    return { url: each, crawl: { place, depth: 1, via: 'link', ...(delay && { delay }) } };
  });
  await fx.uploads.write(key, Readable.from([lines.map((line) => `${JSON.stringify(line)}\n`).join('')]));
  await makeWave(fx, crawl, { batchId, firstLine, lines: urls.length, key, sizes: sizes ?? sizesOf(lines) });
  return batchId;
}

/** What the lines of a batch have found so far, by their numbers. */
export async function foundIn(
  { results }: Pick<Storage, 'results'>,
  chunks: readonly Parameters<typeof foundKey>[0][] & readonly { parts: { token: number }[] }[],
): Promise<Found[]> {
  const found: Found[] = [];
  for (const chunk of chunks)
    for (const { token } of chunk.parts) {
      const stored = await results.open(foundKey(chunk, token));
      if (stored === undefined) throw new Error('A part has nothing found.');
      const text = gunzipSync(await buffer(stored)).toString();
      found.push(
        ...text
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as Found),
      );
    }
  return found.sort((a, b) => a.line - b.line);
}
