import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { APIGatewayProxyResult } from 'aws-lambda';
import type { Page } from 'puppeteer-core';
import { v7 } from 'uuid';
import { dashboardFunction } from '../../../functions/dashboard/serve.ts';
import { matchRoute } from '../../../local/gateway/match-route.ts';
import { proxyEvent } from '../../../local/gateway/proxy-event.ts';
import { readBody } from '../../../local/gateway/gateway.ts';
import { listen } from '../../../local/listen.ts';
import { pageRoutes } from '../../../shared/api/page-routes.ts';
import type { LedgerLine } from '../../../shared/contract/crawls/crawl.ts';
import type { Person } from '../../../shared/contract/people/person.ts';
import { createApiKey, hashApiKey } from '../../../shared/domain/accounts/api-key.ts';
import { AppError } from '../../../shared/errors.ts';
import { hashSecret } from '../../../shared/domain/people/secret.ts';
import { invite } from '../../../shared/use-cases/people/manage-invitations.ts';
import { openSession } from '../../../shared/use-cases/people/keep-session.ts';
import { serviceOver, submitOver } from '../world/api.ts';
import { inMemoryWorld, type World } from '../world/in-memory-world.ts';
import { keepLedger } from '../world/kept-crawl.ts';
import { keptLog } from '../world/kept-log.ts';
import { page } from '../world/pages.ts';
import { openReader, turn } from './reader.ts';

const API_URL = 'https://api.example.com';
const [MINUTE_MS, DAY_MS] = [60_000, 24 * 60 * 60_000];
const FIRST_DAY = new Date('2026-10-20T08:20:00Z');
const DAYS = 32;
const [ORG_ID, EMAIL] = ['org_example', 'ada@example.com'];

type Picture = { name: string; path: string; width?: number; height?: number; scheme?: 'light' | 'dark' };

/** What the pages look like, by the names of their files. */
export const pictures: readonly Picture[] = [
  { name: 'home', path: '/' },
  { name: 'keys', path: '/keys' },
  { name: 'usage', path: '/usage' },
  { name: 'activity', path: '/activity', height: 530 },
  { name: 'playground', path: '/playground', height: 540 },
  { name: 'crawl', path: '/crawls/{crawl}', height: 760 },
  { name: 'home-narrow', path: '/', width: 390, scheme: 'dark' },
];

/** Photographs the dashboard of an organization whose month is the same each time. */
export async function* takePictures(): AsyncGenerator<{ name: string; png: Uint8Array }> {
  await using shown = await openFilledDashboard();
  for (const { name, path, width = 1_280, height = 880, scheme = 'light' } of pictures) {
    const tab = await shown.open(path, { width, height });
    await turn(tab, scheme);
    if (path === '/playground') await fillPlayground(tab);
    yield { name, png: await tab.screenshot({ type: 'png', captureBeyondViewport: false }) };
    await tab.close();
  }
}

/** The dashboard of that organization in a browser, with the session of a member. */
export async function openFilledDashboard() {
  await using closing = new AsyncDisposableStack();
  const world = inMemoryWorld(FIRST_DAY);
  const person = await foundOrganization(world);
  await scrapeForDays(world);
  const work = await leaveWork(world);
  const crawl = await crawlShop(world);
  const { id, email } = person;
  const { code } = await invite(world, {
    ...{ orgId: ORG_ID, role: 'developer' },
    maker: { kind: 'member', id, email },
  });
  const invitation = hashSecret(code);
  const { url } = closing.use(await serve(world));
  const reader = closing.use(await openReader());
  const value = await openSession(world, person);
  const open = async (path: string, { width, height }: { width: number; height: number }) => {
    const { page: tab } = await reader.open(`${url}/sign-in`, width);
    await tab.setViewport({ width, height });
    await tab.emulateTimezone('UTC');
    await tab.browserContext().setCookie({ name: 'sitefetch-session', value, domain: '127.0.0.1' });
    await tab.goto(url + path.replace('{crawl}', crawl), { waitUntil: 'networkidle0' });
    return tab;
  };
  const running = closing.move();
  return { open, work: { ...work, crawl, invitation }, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** Jobs, a batch and an endpoint with deliveries, some of which have failed. */
async function leaveWork(world: World) {
  const [service, key] = [serviceOver(world), keyOf(0).text];
  const [long, receiver] = [`https://shop.example/${'shelf/'.repeat(30)}`, 'https://hooks.example/in'];
  world.web[long] = page('A long way');
  world.answers[receiver] = 500;
  const endpoint = await service.post('/api/v1/webhooks', key, { url: receiver, events: ['job.completed'] });
  const submit = async (url: string) =>
    String(
      (await service.post('/api/v1/scraper/jobs', key, { url, tags: ['nightly', 'prices'] })).json['job_id'],
    );
  const job = await submit(long);
  const lost = await submit('https://slow.example/');
  const batch = await service.post('/api/v1/scraper/batches', key, {
    requests: [{ url: long }, { url: 'https://slow.example/' }],
    tags: ['weekly'],
  });
  for (let round = 0; round < 12; round += 1) {
    await service.work();
    await service.notify();
    world.pass(MINUTE_MS);
  }
  const waiting = await submit('https://news.example/');
  const { webhook_id: webhook } = endpoint.json;
  return {
    job,
    lost,
    waiting,
    batch: String(batch.json['batch_id']),
    webhook: String(webhook),
    keyId: keyOf(0).id,
  };
}

async function fillPlayground(tab: Page): Promise<void> {
  await tab.locator('[name="url"]').fill('https://example.com/prices');
  await tab.click('[name="render_js"]');
}

async function foundOrganization({ keys, organizations, people }: World): Promise<Person> {
  const createdAt = FIRST_DAY;
  const person = { id: 'ada', email: EMAIL, name: 'Ada', orgId: ORG_ID, role: 'admin' } as const;
  const organization = { id: ORG_ID, name: 'Example', plan: 'starter', overrides: {} } as const;
  await organizations.save({ ...organization, status: 'active', createdAt });
  for (const [n, name] of ['production', 'nightly', 'laptop'].entries()) {
    const key = keyOf(n);
    const restrictions = name === 'nightly' ? { routes: ['jobs' as const], creditsPerDay: 500 } : {};
    const shown = { name, last4: key.text.slice(-4), createdBy: EMAIL, restrictions };
    const record = { id: key.id, hash: hashApiKey(key), orgId: ORG_ID, mode: 'live' } as const;
    await keys.save({ ...record, ...shown, status: 'active', createdAt });
  }
  const added = { ...person, generation: 0, createdAt };
  await people.add(added);
  return added;
}

/** The same key each time. */
const keyOf = (n: number) =>
  createApiKey('live', (size) =>
    Buffer.from(Array.from({ length: size }, (_, i) => (i * 37 + n * 11) % 248)),
  );

/** Some scrapes a day, fewer at weekends, of several hosts, plain and rendered; a few fail. */
async function scrapeForDays(world: World): Promise<void> {
  const service = serviceOver(world);
  const hosts = ['shop.example', 'news.example', 'example.com'];
  for (const [n, host] of hosts.entries()) {
    world.web[`https://${host}/`] = async () => {
      world.pass(340 + n * 410);
      return Promise.resolve(page(`<h1>${host}</h1>`));
    };
  }
  world.web['https://slow.example/'] = () => {
    world.pass(30_000);
    return Promise.reject(new AppError('timeout'));
  };
  for (let day = 0; day <= DAYS; day += 1) {
    const isWeekend = [0, 6].includes(world.now().getUTCDay());
    const scrapes = (isWeekend ? 6 : 18) + ((day * 7) % 9);
    for (let n = 0; n < scrapes; n += 1) {
      const host = n % 11 === 10 ? 'slow.example' : hosts[(n * n + day) % hosts.length];
      const request = { url: `https://${host}/`, render_js: n % 4 === 0 };
      await service.post('/api/v1/scraper', keyOf(n % 5 === 0 ? 2 : 0).text, request);
      world.pass(MINUTE_MS);
    }
    if (day < DAYS) world.pass(DAY_MS - ((world.now().getTime() - FIRST_DAY.getTime()) % DAY_MS));
  }
}

/** A crawl of a shop that has ended. */
async function crawlShop(world: World): Promise<string> {
  const site = 'https://shop.example';
  const { json } = await serviceOver(world).post('/api/v1/crawls', keyOf(0).text, {
    url: `${site}/`,
    tags: ['weekly'],
  });
  const id = String(json['crawl_id']);
  const shelves = ['bread', 'flour', 'tools'];
  const outcomes = [
    'page',
    'page',
    'page',
    'duplicate',
    'page',
    'robots',
    'page',
    'out_of_scope',
    'page',
    'failed',
  ] as const;
  const lines = Array.from({ length: 240 }, (_, n): LedgerLine => ({
    url: n === 0 ? `${site}/` : `${site}/${shelves[n % shelves.length]}/${n}`,
    outcome: outcomes[(n * 7) % outcomes.length] ?? 'page',
    depth: n === 0 ? 0 : 1 + (n % 3),
    via: n === 0 ? 'seed' : 'link',
    ...(n > 0 && { found_on: `${site}/` }),
  }));
  const sitemaps = [{ url: `${site}/sitemap.xml`, status: 200, urls: 210 }];
  const hosts = [
    { host: 'shop.example', robots: 'found', robots_status: 200, crawl_delay: 1, sitemaps } as const,
  ];
  world.pass(6 * MINUTE_MS);
  const ended = { status: 'completed', stopReason: 'done', completedAt: world.now(), credits: 144 } as const;
  await keepLedger(world, id, { lines, hosts }, ended);
  return id;
}

/** The dashboard over HTTP, with API Gateway's events. */
async function serve(world: World) {
  const paths = new Set([...pageRoutes.map(({ path }) => path), '/{proxy+}']);
  const route = { api: 'api', method: 'ANY', functionArn: 'dashboard', timeoutMs: 0, isStreamed: false };
  const routes = [...paths].map((path) => ({ ...route, path }));
  const baseStyles = await readFile(new URL('../../../shared/base.css', import.meta.url), 'utf8');
  const { log } = keptLog();
  const server = createServer((request, response) => {
    void answer(request).then(({ statusCode, headers, body }) =>
      response.writeHead(statusCode, headers as Record<string, string>).end(body),
    );
  });
  return listen(server);

  async function answer(request: IncomingMessage): Promise<APIGatewayProxyResult> {
    const { method = 'GET', url = '/', headers } = request;
    const match = matchRoute(routes, method, new URL(url, 'http://dashboard').pathname);
    const body = await readBody(request);
    if (!match || !body) return { statusCode: 404, body: '' };
    // The playground works on this address alone.
    const dashboardUrl = `http://${headers.host}`;
    const handler = dashboardFunction(
      {
        ...world,
        apiUrl: API_URL,
        dashboardUrl,
        signUpPolicy: 'open',
        webhookUrls: { allow: [] },
        submit: submitOver(world),
      },
      log,
    );
    const reply = await handler(proxyEvent(request, match, body, v7()));
    // The bundle has the palette before the styles of the dashboard.
    return url.includes('/dashboard.css') ? { ...reply, body: baseStyles + reply.body } : reply;
  }
}
