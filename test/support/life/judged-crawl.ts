import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import type { CrawlResult, CrawlState } from '../../../shared/contract/crawls/crawl-view.ts';
import type { LedgerLine } from '../../../shared/contract/crawls/crawl.ts';
import type { Expected } from '../../fixtures/crawls/expected.ts';
import { keyOf } from '../../fixtures/crawls/key-of.ts';
import type { Web } from '../../fixtures/crawls/web.ts';
import type { Visit } from '../servers/crawled-web.ts';
import type { Client } from '../stack/client.ts';

const CRAWLS = '/api/v1/crawls';

export type EndedCrawl = {
  id: string;
  view: CrawlState;
  ledger: LedgerLine[];
  results: Pick<CrawlResult, 'line' | 'url' | 'credits_used' | 'status'>[];
  polls: number;
};

const POLL_MS = 100;

/** Crawls to the end. At every moment the counts must add up. */
export async function crawled(client: Client, request: object): Promise<EndedCrawl> {
  const answer = await client.post(CRAWLS, request);
  const text = await answer.text();
  expect([answer.status, text]).toEqual([202, text]);
  const { crawl_id: id } = JSON.parse(text) as CrawlState;
  let polls = 0;
  for (;;) {
    const response = await client.get(`${CRAWLS}/${id}`);
    expect(response.status).toBe(200);
    const view = (await response.json()) as CrawlState;
    polls += 1;
    const { discovered, ...rest } = view.counts;
    expect(
      Object.values(rest).reduce((sum, count) => sum + count, 0),
      JSON.stringify(rest),
    ).toBe(discovered);
    if (view.completed_at !== undefined) return { id, view, polls, ...(await endOf(client, id)) };
    await setTimeout(POLL_MS);
  }
}

async function endOf(client: Client, id: string): Promise<Pick<EndedCrawl, 'ledger' | 'results'>> {
  const ledger = await client.lines<LedgerLine>(`${CRAWLS}/${id}/urls`);
  return { ledger, results: await client.lines(`${CRAWLS}/${id}/results`) };
}

/** What a ledger has otherwise than it should. Empty if it is right. */
export function faultsIn(ledger: readonly LedgerLine[], { pages, others, facets }: Expected): string[] {
  const outcomes = new Map<string, string>();
  const faults: string[] = [];
  for (const { url, outcome } of ledger) {
    const key = keyOf(url);
    if (outcomes.has(key)) faults.push(`${key} is there twice`);
    outcomes.set(key, outcome);
  }
  for (const [key, expected] of others) {
    const outcome = outcomes.get(key);
    if (outcome !== expected) faults.push(`${key} is ${outcome}, not ${expected}`);
    outcomes.delete(key);
  }
  for (const group of pages) {
    const found = group.map((key) => outcomes.get(key)).sort();
    const expected = [...Array<string>(group.length - 1).fill('duplicate'), 'page'];
    if (found.join() !== expected.join()) faults.push(`${group.join(' ')} are ${found.join()}`);
    for (const key of group) outcomes.delete(key);
  }
  for (const key of facets) {
    const outcome = outcomes.get(key) ?? 'missing';
    if (!['page', 'duplicate', 'trap'].includes(outcome)) faults.push(`${key} is ${outcome}`);
    outcomes.delete(key);
  }
  return [...faults, ...[...outcomes].map(([key, outcome]) => `${key} is ${outcome}, and was not expected`)];
}

/** Results, counts, charge and ledger of a crawl say the same. */
export function assertAddsUp({ view, ledger, results }: EndedCrawl): void {
  const { discovered, pending, running, ...outcomes } = view.counts;
  const counted = Object.groupBy(ledger, ({ outcome }) => outcome);
  for (const [outcome, count] of Object.entries(outcomes))
    expect([outcome, count]).toEqual([outcome, counted[outcome as LedgerLine['outcome']]?.length ?? 0]);
  expect([discovered, pending, running]).toEqual([ledger.length, 0, 0]);
  expect(results.filter(({ status }) => status === 'completed').length).toBeGreaterThanOrEqual(outcomes.page);
  expect(new Set(results.map(({ line }) => line)).size).toBe(results.length);
  expect(results.reduce((sum, { credits_used: credits }) => sum + credits, 0)).toBe(view.credits_used);
}

/** Robots.txt and sitemaps, which are read by the merge. */
const isAbout = (path: string) => /^\/(robots\.txt|[\w.-]+\.(xml|txt|gz))/.test(path);
/** What the log of a web has that a polite crawler does not do. */
export function impolitenessIn(web: Web, visits: readonly Visit[], concurrency: number): string[] {
  const faults: string[] = [];
  for (const host of web.hosts) {
    const own = visits.filter((visit) => visit.host === host.name && !isAbout(visit.path));
    const isClosed = host.at('/')?.isDisallowed ?? false;
    for (const { path } of own)
      if (isClosed || host.at(path)?.isDisallowed) faults.push(`${host.name}${path} was requested`);
    const most = mostAtOnce(own);
    if (most > concurrency) faults.push(`${host.name} had ${most} requests at once`);
    faults.push(...hasteIn(own, host.crawlDelayMs ?? 0).map((gaps) => `${host.name} had only ${gaps}`));
  }
  return faults;
}

/** Requests arrive late by unequal times, which is no haste if all together took long enough. */
function hasteIn(visits: readonly Visit[], delayMs: number): string[] {
  const starts = visits.map(({ beganAt }) => beganAt);
  const gaps = starts.slice(1).map((start, n) => Math.round(start - (starts[n] ?? 0)));
  const whole = gaps.reduce((sum, gap) => sum + gap, 0);
  const hasty = gaps.filter((gap) => gap < delayMs / 2).map((gap) => `${gap} ms between two requests`);
  return whole < delayMs * (gaps.length - 0.5) ? [...hasty, `${whole} ms for ${visits.length}`] : hasty;
}

function mostAtOnce(visits: readonly Visit[]): number {
  const changes = visits.flatMap(({ beganAt, endedAt }) => [
    { at: beganAt, by: 1 },
    { at: endedAt, by: -1 },
  ]);
  // What ends in the same moment has ended.
  changes.sort((a, b) => a.at - b.at || a.by - b.by);
  let [now, most] = [0, 0];
  for (const { by } of changes) {
    now += by;
    most = Math.max(most, now);
  }
  return most;
}
