import { expect, vi } from 'vitest';
import type { mixedSite } from '../servers/mixed-site.ts';
import { type Client, clientOf } from '../stack/client.ts';
import type { TestStack } from '../stack/local-stack.ts';
import { newOrganization } from '../world/organization.ts';
import { admitted, creditsSeen, idOf } from './adds-up.ts';
import { settledJobs, sweeperOf, usageOf } from './killing.ts';

const BATCHES = '/api/v1/scraper/batches';
const HOUR_S = 3_600;
/** Of a page that is held until all jobs run. */
const TIMEOUT_MS = 60_000;
/** A message that was given to a dead worker is sent again by the scheduled sweeps of two minutes. */
const SWEPT_EVERY = { interval: 1_000, timeout: 300_000 };

type Kind = { name: string; request: (n: string) => object; prices: readonly number[] };

/** Requests, and what they may cost if something came. A ladder is cut short where its browser is killed. */
const KINDS: readonly Kind[] = [
  { name: 'plain', request: (n) => ({ url: `/page?${n}` }), prices: [1] },
  { name: 'rendered', request: (n) => ({ url: `/page?${n}`, render_js: true }), prices: [5] },
  { name: 'auto, page', request: (n) => ({ url: `/page?${n}`, mode: 'auto' }), prices: [1, 5] },
  { name: 'auto, shell', request: (n) => ({ url: `/shell?${n}`, mode: 'auto' }), prices: [1, 5] },
  { name: 'auto, wall', request: (n) => ({ url: `/wall?${n}`, mode: 'auto' }), prices: [0, 5] },
  { name: 'repeat', request: () => ({ url: '/page', max_age: HOUR_S }), prices: [1] },
  // Work that runs again must not take the page that it has kept for a repeat.
  { name: 'first', request: (n) => ({ url: `/page?${n}`, max_age: HOUR_S }), prices: [1] },
  { name: 'unchanged', request: () => ({ url: '/same', revalidate: true }), prices: [1] },
  {
    name: 'unchanged, rendered',
    request: () => ({ url: '/same', revalidate: true, render_js: true }),
    prices: [5],
  },
];

/** Without a new page. */
const PRICES_BY_CACHE: Readonly<Record<string, readonly number[]>> = { hit: [0], revalidated: [1] };

type Site = Awaited<ReturnType<typeof mixedSite>>;

/** What was reported of a request. */
type Reported = { name: string; credits: number; hasPage: boolean; cache?: string; tried?: string };
type Scraped = { id: string; reported: Reported };
type Submitted = { name: string; id: string };
type View = { status: string; credits_used: number; cache?: string; mode_tried?: string };

/**
 * Scrapes, jobs and batches of all kinds while all workers or all browsers are killed in turn. Asserts that
 * their credits, the activity, the usage and the balance add up, each page was charged once, and each scrape
 * and each job is one line of activity.
 */
export async function mixtureSurvivesKilling(stack: TestStack, site: Site, waves: number): Promise<void> {
  const wanted = { plan: 'business', overrides: { concurrency: 200 } } as const;
  const { api_key: key, org_id: orgId } = await newOrganization(stack.storage, wanted);
  const client = clientOf(stack.baseUrl, key);
  using sweeper = sweeperOf(stack);
  const refused = new Set<string>();
  const [scrapes, jobs, batches]: [Scraped[], Submitted[], string[]] = [[], [], []];
  for (let turn = 0; turn < waves; turn += 1) {
    const made = await wave({ client, stack, site, turn, refused });
    scrapes.push(...made.scrapes);
    jobs.push(...made.jobs);
    batches.push(made.batch);
  }
  const ended = await settledJobs(
    client,
    sweeper,
    jobs.map(({ id }) => id),
  );
  const ofJobs = ended.map((job, n) => reportedOf(jobs[n]?.name ?? '', job));
  expect(ended.filter(({ attempts }) => attempts > 1).length).toBeGreaterThan(waves);
  const ofLines = await linesOf(client, sweeper.sweep, batches);
  expect(ofLines).toHaveLength(waves * KINDS.length);

  const all = [...scrapes.map(({ reported }) => reported), ...ofJobs, ...ofLines];
  assertPrices(all);
  const [seen, total] = [sum(all) - sum(ofLines), sum(all)];
  const ids = [...scrapes, ...jobs].map(({ id }) => id).sort();
  await vi.waitFor(async () => {
    await sweeper.sweep();
    const { lines, ...credits } = await creditsSeen(client);
    expect(credits).toEqual({ activity: seen, days: total, used: total });
    const admittedIds = lines.map(idOf).filter((id) => !refused.has(id));
    expect(admittedIds.sort()).toEqual(ids);
  }, SWEPT_EVERY);
  await expect.poll(await usageOf(stack, orgId, sweeper), SWEPT_EVERY).toEqual({ used: total, slots: {} });
}

const sum = (all: readonly Reported[]) => all.reduce((credits, each) => credits + each.credits, 0);

/** What a page of its kind costs, and nothing where none came. Every way to a price has occurred. */
function assertPrices(all: readonly Reported[]): void {
  const pricesOf = ({ name, cache = '' }: Reported) =>
    PRICES_BY_CACHE[cache] ?? KINDS.find((kind) => kind.name === name)?.prices ?? [];
  const isWrong = (each: Reported) =>
    each.hasPage ? !pricesOf(each).includes(each.credits) : each.credits !== 0;
  expect(all.filter(isWrong)).toEqual([]);
  const caches = new Set(all.map(({ cache }) => cache));
  expect([...caches]).toEqual(expect.arrayContaining(['hit', 'miss', 'revalidated']));
  const climbed = (name: string) =>
    all.filter((each) => each.name === name && each.tried?.includes(', rendered;page'));
  for (const name of ['auto, shell', 'auto, wall']) expect(climbed(name)).not.toEqual([]);
}

const reportedOf = (name: string, { status, credits_used, cache, mode_tried }: View): Reported => ({
  ...{ name, credits: credits_used, hasPage: status === 'completed' },
  ...(cache !== undefined && { cache }),
  ...(mode_tried !== undefined && { tried: mode_tried }),
});

type Wave = { client: Client; stack: TestStack; site: Site; turn: number; refused: Set<string> };

/** A batch, jobs and scrapes of all kinds. All workers or browsers are killed once the jobs run. */
async function wave({ client, stack, site, turn, refused }: Wave) {
  const release = site.hold();
  const requests = (how: string) =>
    KINDS.map(({ name, request }, n) => {
      const { url, ...more } = request(`${how}=${turn}.${n}`) as { url: string };
      return { name, body: { ...more, url: site.origin + url, timeout: TIMEOUT_MS } };
    });
  const post = (path: string, body: object) => admitted(() => client.post(path, body), refused);
  const answer = await post(BATCHES, { requests: requests('line').map(({ body }) => body) });
  const { batch_id: batch } = (await answer.json()) as { batch_id: string };
  const jobs = await Promise.all(
    requests('job').map(async ({ name, body }) => {
      const job = await post('/api/v1/scraper/jobs', body);
      return { name, id: ((await job.json()) as { job_id: string }).job_id };
    }),
  );
  const scraping = requests('scrape').map(async ({ name, body }): Promise<Scraped> => {
    const response = await post('/api/v1/scraper', body);
    await response.arrayBuffer();
    return scrapedOf(name, response);
  });
  for (const { id } of jobs)
    await vi.waitUntil(async () => (await client.job(id)).status !== 'pending', SWEPT_EVERY);
  const { [turn % 2 ? 'browser' : 'worker']: pids = [] } = stack.pids();
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  release();
  return { batch, jobs, scrapes: await Promise.all(scraping) };
}

function scrapedOf(name: string, { headers, ok }: Response): Scraped {
  const [cache, tried] = [headers.get('x-cache') ?? undefined, headers.get('x-mode-tried') ?? undefined];
  const credits_used = Number(headers.get('x-credits-used'));
  return {
    id: headers.get('x-request-id') ?? '',
    reported: reportedOf(name, {
      ...{ status: ok ? 'completed' : 'failed', credits_used },
      ...(cache !== undefined && { cache }),
      ...(tried !== undefined && { mode_tried: tried }),
    }),
  };
}

/** The lines of all batches once these have ended. */
async function linesOf(client: Client, sweep: () => Promise<unknown>, batches: readonly string[]) {
  const reported: Reported[] = [];
  for (const id of batches) {
    await vi.waitUntil(async () => {
      await sweep();
      const batch = (await (await client.get(`${BATCHES}/${id}`)).json()) as View;
      return batch.status === 'completed';
    }, SWEPT_EVERY);
    const { credits_used: used } = (await (await client.get(`${BATCHES}/${id}`)).json()) as View;
    const lines = await client.lines<View & { line: number }>(`${BATCHES}/${id}/results`);
    const ofBatch = lines.map(({ line, ...view }) => reportedOf(KINDS[line - 1]?.name ?? '', view));
    expect(sum(ofBatch)).toBe(used);
    reported.push(...ofBatch);
  }
  return reported;
}
