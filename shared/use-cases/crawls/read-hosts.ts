import type { HostRead } from '../../contract/crawls/manifest.ts';
import { hostOf } from '../../domain/crawls/crawl-rules.ts';
import type { HostRules } from '../../domain/crawls/place-url.ts';
import {
  MAX_ROBOTS_BYTES,
  parseRobots,
  type Robots,
  robotsOf,
  robotsWishes,
} from '../../domain/crawls/robots.ts';
import { AppError } from '../../errors.ts';
import { addMs, SECOND_MS } from '../../time/units.ts';
import { fetchFile, isForbidden } from './fetch-file.ts';
import { type MergeStep, renewLease } from './merge-step.ts';
import { noteRequest } from './note-request.ts';
import type { ScrapeContext } from '../../ports/scrape.ts';

/** Hosts of a crawl. URLs of further ones are a trap. */
const MAX_HOSTS = 2_000;
/** Of all robots.txt together, which each merge reads. */
const MAX_RULES = 20_000_000;
const AT_ONCE = 20;
const MAX_CRAWL_DELAY_SECONDS = 30;

/** How long a step requests files, before it stores what it has. */
export const READ_MS = 60 * SECOND_MS;

/** The context of requests that a crawl makes for itself. */
export function contextOf({ crawl, requestLog, signal, fx }: MergeStep): ScrapeContext {
  const { requestId, id, orgId } = crawl;
  return { requestId, scrapeId: id, orgId, requestLog, signal, deadlineAt: addMs(fx.now(), READ_MS) };
}

/**
 * Reads the robots.txt of hosts that are not known, at these URLs of theirs. False if the time was too short
 * for all of them.
 */
export async function readHosts(step: MergeStep, urls: readonly URL[]): Promise<boolean> {
  const known = new Set(step.manifest.hosts.map(({ host }) => host));
  const fresh = [...originsByHost(urls)].filter(([host]) => !known.has(host));
  const until = addMs(step.fx.now(), READ_MS);
  for (let at = 0; at < fresh.length; at += AT_ONCE) {
    if (isFull(step)) return true;
    if (at > 0 && step.fx.now() > until) return false;
    await renewLease(step);
    const some = fresh.slice(at, at + Math.min(AT_ONCE, MAX_HOSTS - step.manifest.hosts.length));
    const read = await Promise.all(some.map(([host, origins]) => readHost(step, host, [...origins])));
    step.signal.throwIfAborted();
    await Promise.all(read.map((host) => noteRequest(step, host)));
    step.manifest = { ...step.manifest, hosts: [...step.manifest.hosts, ...read] };
  }
  return true;
}

function isFull({ manifest: { hosts } }: MergeStep): boolean {
  const size = hosts.reduce((sum, { rules = '' }) => sum + rules.length, 0);
  return hosts.length >= MAX_HOSTS || size > MAX_RULES;
}

/** A host has one file for http and https: it is read where the first URL is, or else where others are. */
function originsByHost(urls: readonly URL[]): Map<string, Set<string>> {
  const origins = new Map<string, Set<string>>();
  for (const url of urls) {
    const known = origins.get(hostOf(url));
    if (known) known.add(url.origin);
    else origins.set(hostOf(url), new Set([url.origin]));
  }
  return origins;
}

async function readHost(step: MergeStep, host: string, [origin, ...others]: string[]): Promise<HostRead> {
  const { fx, robotsToken } = step;
  const context = { ...contextOf(step), maxBytes: MAX_ROBOTS_BYTES };
  const file = await fetchFile(fx, `${origin}/robots.txt`, context);
  if (file instanceof AppError) {
    if (others.length > 0 && file.code !== 'too_many_redirects') return readHost(step, host, others);
    if (isForbidden(file)) return { host, robots: 'forbidden', sitemaps: [] };
    // Too many redirects count as a missing file: https://www.rfc-editor.org/rfc/rfc9309#section-2.3.1.2
    return { host, robots: file.code === 'too_many_redirects' ? 'none' : 'unreachable', sitemaps: [] };
  }
  const { status: robots_status, body } = file;
  if (robots_status >= 500) return { host, robots: 'unreachable', robots_status, sitemaps: [] };
  if (robots_status >= 300) return { host, robots: 'none', robots_status, sitemaps: [] };
  const rules = Buffer.from(body).toString().slice(0, MAX_ROBOTS_BYTES);
  const { crawlDelay, contentUsage } = robotsWishes(rules, robotsToken);
  return {
    host,
    robots: 'found',
    robots_status,
    ...(crawlDelay !== undefined && { crawl_delay: crawlDelay }),
    ...(crawlDelay !== undefined &&
      crawlDelay > MAX_CRAWL_DELAY_SECONDS && { crawl_delay_capped: true as const }),
    sitemaps: [],
    ...(contentUsage !== undefined && { content_usage: contentUsage }),
    rules,
  };
}

export type KnownHosts = { rulesOf: (url: URL) => HostRules | undefined; robotsOf: (host: string) => Robots };

/** What known hosts allow. Each robots.txt is parsed once it is needed. */
export function knownHosts({
  manifest,
  robotsToken,
}: Pick<MergeStep, 'manifest' | 'robotsToken'>): KnownHosts {
  const hosts = new Map(manifest.hosts.map((host) => [host.host, host]));
  const parsed = new Map<string, Robots>();
  const robotsAt = (name: string): Robots => {
    const known = parsed.get(name) ?? read(hosts.get(name), robotsToken);
    parsed.set(name, known);
    return known;
  };
  return {
    robotsOf: robotsAt,
    rulesOf: (url) => {
      const host = hosts.get(hostOf(url));
      return (
        host && {
          robots: robotsAt(host.host),
          isForbidden: host.robots === 'forbidden',
          contentUsage: host.content_usage,
        }
      );
    },
  };
}

const MISSING = { status: 404, redirects: 0, body: new Uint8Array() };

function read(host: HostRead | undefined, token: string): Robots {
  if (host?.robots === 'found') return parseRobots(host.rules ?? '', token);
  return robotsOf(host?.robots === 'unreachable' ? undefined : MISSING, token);
}
