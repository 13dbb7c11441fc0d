import { afterAll, describe, expect, inject, test } from 'vitest';
import { appCases, appSite } from '../../fixtures/sites/apps.ts';
import { charsetSite } from '../../fixtures/sites/charsets.ts';
import { contentTypeSite } from '../../fixtures/sites/content-types.ts';
import type { Elsewhere, Expected, FixtureCase } from '../../fixtures/sites/fixture-case.ts';
import { liveSite } from '../../fixtures/sites/live.ts';
import { redirectSite } from '../../fixtures/sites/redirects.ts';
import { serverSite } from '../../fixtures/sites/servers.ts';
import { visitorSite } from '../../fixtures/sites/visitors.ts';
import { sharedStack } from './shared-stack.ts';
import { renderSite } from '../servers/render-site.ts';
import { tlsServerWith } from '../servers/target-server.ts';

const GROUPS = [
  ['charsets', charsetSite.cases],
  ['content types', contentTypeSite.cases],
  ['redirects', redirectSite.cases],
  ['visitors', visitorSite.cases],
  ['servers', serverSite.cases],
  ['applications', appCases],
  ['live pages', liveSite.cases],
] as const;

type Mode = { name: string; it: FixtureCase; render_js: boolean; expected: Expected };
type Choice = { isTaken: (mode: Mode) => boolean; isJobToo: boolean };

/** Tests sites of test/fixtures through a stack by sync calls, and with `isJobToo` as jobs too. */
export async function fixtureSuite({ isTaken, isJobToo }: Choice): Promise<void> {
  const servers = new AsyncDisposableStack();
  afterAll(() => servers.disposeAsync());
  const origins = await sitesIn(servers);
  const { client } = await sharedStack();

  async function examine({ it, render_js, expected }: Mode): Promise<void> {
    const origin = origins[it.at ?? 'here'];
    const request = { url: origin + it.path, render_js, timeout: 60_000, ...it.fields, ...expected.fields };
    const [response, job] = await Promise.all([
      client.scrape(request),
      isJobToo && !it.isSyncOnly ? client.submit(request) : undefined,
    ]);
    const forEachConcurrently = await seen(response);
    check(origin, it, expected, forEachConcurrently);
    if (job === undefined) return;
    await client.settled(job);
    const later = await seen(await client.result(job));
    expect([later.code, later.headers]).toEqual([forEachConcurrently.code, forEachConcurrently.headers]);
    if (!expected.varies && !expected.code) expect(later.bytes.equals(forEachConcurrently.bytes)).toBe(true);
  }
  describe.concurrent.each(GROUPS)('%s', (_, cases) => {
    test.each(cases.flatMap(modesOf).filter(isTaken))('$name', examine);
  });
}

function modesOf(it: FixtureCase): Mode[] {
  return [
    ...(it.plain ? [{ name: `${it.name}, plain`, it, render_js: false, expected: it.plain }] : []),
    ...(it.rendered ? [{ name: `${it.name}, rendered`, it, render_js: true, expected: it.rendered }] : []),
  ];
}

async function sitesIn(servers: AsyncDisposableStack): Promise<Record<Elsewhere | 'here', string>> {
  const sites = [
    charsetSite,
    contentTypeSite,
    redirectSite,
    visitorSite,
    serverSite,
    liveSite,
    await appSite(),
  ];
  const routes = Object.assign({}, ...sites.map((site) => site.routes)) as typeof charsetSite.routes;
  const ports = inject('fixturePorts').values();
  const onNext = (address = '127.0.0.1') => ({ address, port: ports.next().value ?? 0 });
  const site = servers.use(await renderSite(routes, onNext()));
  const overIpv6 = servers.use(await renderSite(routes, onNext('::1')));
  const behind = async (name: Parameters<typeof tlsServerWith>[0]) =>
    servers.use(await tlsServerWith(name, (_, response) => response.end('page'), onNext())).origin;
  return {
    here: site.origin,
    'by another name': `http://localhost:${site.port}`,
    IPv6: overIpv6.origin,
    expired: await behind('expired'),
    'other-host': await behind('other-host'),
    'self-signed': await behind('self-signed'),
  };
}

const PAGE_HEADERS = [
  'content-type',
  'content-security-policy',
  'x-target-status',
  'x-target-url',
  'x-target-redirects',
  'x-render-state',
];

/** The parts of a response that a sync scrape and a job must have in common. */
type Seen = { code?: string; headers?: Record<string, string | null>; bytes: Buffer };

async function seen(answer: Response): Promise<Seen> {
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (answer.status !== 200) return { ...(JSON.parse(bytes.toString()) as { code: string }), bytes };
  return { headers: Object.fromEntries(PAGE_HEADERS.map((name) => [name, answer.headers.get(name)])), bytes };
}

function check(origin: string, it: FixtureCase, expected: Expected, { code, headers, bytes }: Seen): void {
  expect(code).toBe(expected.code);
  if (code !== undefined) return;
  const said = {
    'x-target-status': String(expected.status ?? 200),
    'x-target-url': origin + (expected.path ?? it.path),
    'x-target-redirects': String(expected.redirects ?? (expected.path === undefined ? 0 : 1)),
    ...(expected.type && { 'content-type': expected.type }),
    ...(expected.state && { 'x-render-state': expected.state }),
  };
  expect(headers).toMatchObject(said);
  if (expected.bytes) expect(bytes.toString('latin1')).toBe(expected.bytes.toString('latin1'));
  const text = bytes.toString();
  // Pages are too long to be shown.
  expect(
    expected.holds?.filter((part) => !text.includes(part)).map((part) => part.slice(0, 200)) ?? [],
  ).toEqual([]);
  expect(expected.lacks?.filter((part) => text.includes(part)) ?? []).toEqual([]);
}
