import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LOCAL_CREDENTIALS } from '../../local/create-resources.ts';
import { REGION } from '../../local/template/physical.ts';
import { appCases, appSite } from '../fixtures/sites/apps.ts';
import { charsetSite } from '../fixtures/sites/charsets.ts';
import { contentTypeSite } from '../fixtures/sites/content-types.ts';
import type { Elsewhere, Expected, FixtureCase } from '../fixtures/sites/fixture-case.ts';
import { liveSite } from '../fixtures/sites/live.ts';
import { redirectSite } from '../fixtures/sites/redirects.ts';
import { serverSite } from '../fixtures/sites/servers.ts';
import { visitorSite } from '../fixtures/sites/visitors.ts';
import type { Client } from '../support/client.ts';
import { type TestStack, localStack } from '../support/local-stack.ts';
import { renderSite } from '../support/render-site.ts';
import { tlsServerWith } from '../support/target-server.ts';

const servers = new AsyncDisposableStack();
let origins: Record<Elsewhere | 'here', string>;
let stack: TestStack;
let client: Client;

beforeAll(async () => {
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
  const site = servers.use(await renderSite(routes));
  const overIpv6 = servers.use(await renderSite(routes, { address: '::1' }));
  const behind = async (name: Parameters<typeof tlsServerWith>[0]) =>
    servers.use(await tlsServerWith(name, (_, response) => response.end('page'))).origin;
  origins = {
    here: site.origin,
    'by another name': `http://localhost:${site.port}`,
    IPv6: overIpv6.origin,
    expired: await behind('expired'),
    'other-host': await behind('other-host'),
    'self-signed': await behind('self-signed'),
  };
  const egressAllow = Object.values(origins).map((origin) => new URL(origin).host);
  stack = servers.use(await localStack({ egressAllow }));
  ({ client } = stack);
});
afterAll(() => servers.disposeAsync());

const PAGE_HEADERS = [
  'content-type',
  'content-security-policy',
  'x-target-status',
  'x-target-url',
  'x-target-redirects',
  'x-render-state',
];

/** What a caller gets, at once or later: all that must be the same both ways. */
type Seen = { code?: string; headers?: Record<string, string | null>; bytes: Buffer };

async function seen(answer: Response): Promise<Seen> {
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (answer.status !== 200) return { ...(JSON.parse(bytes.toString()) as { code: string }), bytes };
  return { headers: Object.fromEntries(PAGE_HEADERS.map((name) => [name, answer.headers.get(name)])), bytes };
}

async function bothWays(request: object): Promise<{ atOnce: Seen; later: Seen }> {
  const [sync, job] = await Promise.all([client.scrape(request), client.submit(request)]);
  const atOnce = await seen(sync);
  await client.settled(job);
  return { atOnce, later: await seen(await client.result(job)) };
}

const originOf = ({ at }: FixtureCase) => origins[at ?? 'here'];

function check(it: FixtureCase, expected: Expected, { code, headers, bytes }: Seen): void {
  expect(code).toBe(expected.code);
  if (code !== undefined) return;
  const said = {
    'x-target-status': String(expected.status ?? 200),
    'x-target-url': originOf(it) + (expected.path ?? it.path),
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

describe.concurrent.each([
  ['charsets', charsetSite.cases],
  ['content types', contentTypeSite.cases],
  ['redirects', redirectSite.cases],
  ['visitors', visitorSite.cases],
  ['servers', serverSite.cases],
  ['applications', appCases],
  ['live pages', liveSite.cases],
])('%s', (_, cases) => {
  const modes = cases.flatMap((it) => [
    ...(it.plain ? [{ name: `${it.name}, plain`, it, render_js: false, expected: it.plain }] : []),
    ...(it.rendered ? [{ name: `${it.name}, rendered`, it, render_js: true, expected: it.rendered }] : []),
  ]);
  test.each(modes)('$name', async ({ it, render_js, expected }) => {
    const url = originOf(it) + it.path;
    const request = { url, render_js, timeout: 60_000, ...it.fields, ...expected.fields };
    if (it.isSyncOnly) {
      check(it, expected, await seen(await client.scrape(request)));
      return;
    }
    const { atOnce, later } = await bothWays(request);
    check(it, expected, atOnce);
    expect([later.code, later.headers]).toEqual([atOnce.code, atOnce.headers]);
    if (!expected.varies && !expected.code) expect(later.bytes.equals(atOnce.bytes)).toBe(true);
  });
});

describe('a result', () => {
  const page = '/app/react';
  const resultOf = async () => {
    const id = await client.submit({ url: origins.here + page });
    await client.settled(id);
    return { id, ask: (headers = {}) => client.get(`/api/v1/scraper/jobs/${id}/result`, headers) };
  };

  test('comes as gzip, in parts, and not again to who has it', async () => {
    const { ask } = await resultOf();
    const bytes = Buffer.from(await (await fetch(origins.here + page)).arrayBuffer());
    const whole = await ask({ 'Accept-Encoding': 'gzip' });
    expect(whole.headers.get('content-encoding')).toBe('gzip');
    expect(Number(whole.headers.get('x-content-length'))).toBeLessThan(bytes.length / 2);
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);

    const part = await ask({ Range: 'bytes=100000-199999' });
    expect([part.status, part.headers.get('x-content-length')]).toEqual([206, '100000']);
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(100_000, 200_000))).toBe(true);

    const etag = whole.headers.get('etag') ?? '';
    expect((await ask({ 'Accept-Encoding': 'gzip', 'If-None-Match': etag })).status).toBe(304);
  });

  test('that has changed in the store is cut off, however it is asked for', async () => {
    const { id, ask } = await resultOf();
    using s3 = disposable(new S3Client({ ...LOCAL, endpoint: stack.endpoints.s3 }));
    const Bucket = stack.buckets.results;
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }));
    const Key = Contents.find((object) => object.Key?.includes(id))?.Key;
    const stored = await s3.send(new GetObjectCommand({ Bucket, Key }));
    const bytes = (await stored.Body?.transformToByteArray()) ?? new Uint8Array();
    bytes.set([0, 0, 0, 0], bytes.length - 1_000);
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: bytes }));
    for (const headers of [
      { 'Accept-Encoding': 'gzip' },
      { 'Accept-Encoding': 'identity' },
      { Range: 'bytes=0-9' },
    ])
      await expect(ask(headers).then((answer) => answer.arrayBuffer())).rejects.toThrow();
  });
});

const LOCAL = { region: REGION, credentials: LOCAL_CREDENTIALS };

function disposable(client: S3Client): S3Client & Disposable {
  return Object.assign(client, { [Symbol.dispose]: () => client.destroy() });
}
