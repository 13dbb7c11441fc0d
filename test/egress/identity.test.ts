import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { isolates } from '../../functions/browser/launch/isolates.ts';
import { openGuard } from '../../shared/egress/guard.ts';
import { staticFetch } from '../../shared/egress/fetch/static-fetch.ts';
import { answerTo } from '../support/browser/chromium.ts';
import { encryptedHelloBytes, orderOf, portraitOf } from '../support/servers/client-hello.ts';
import { identityServer, type Sighting } from '../support/servers/identity-server.ts';
import { trustingChromium } from '../support/browser/trusting-chromium.ts';

vi.stubEnv('SSL_CERT_FILE', fileURLToPath(new URL('../fixtures/tls/ca.pem', import.meta.url)));

/** Enough to see whether an order is shuffled every time. */
const CONNECTIONS = 4;
const ML_DSA = [0x0904, 0x0905, 0x0906];

type Seen = { h2: Sighting[]; h1: Sighting[] };
const seen: { plain?: Seen; rendered?: Seen } = {};

/** The view of HTTP/2 and HTTP/1.1 servers of visits by separate clients. */
async function visits(count: number, visit: (url: string, host: string) => Promise<unknown>): Promise<Seen> {
  await using h2 = await identityServer();
  await using h1 = await identityServer(['http/1.1']);
  for (const { port } of [h2, h1]) {
    for (let turn = 0; turn < count; turn += 1)
      await visit(`https://localhost:${port}/`, `localhost:${port}`);
  }
  return { h2: h2.sightings, h1: h1.sightings };
}

async function visitPlain(url: string, host: string): Promise<void> {
  await using guard = await openGuard({ allow: [host] });
  expect((await staticFetch({ url }, guard, AbortSignal.timeout(10_000))).status).toBe(200);
}

beforeAll(async () => {
  await using chromium = await trustingChromium();
  seen.plain = await visits(CONNECTIONS, visitPlain);
  seen.rendered = await visits(2, async (url, host) => {
    await using browsers = isolates({
      chromiumDir: chromium.folder,
      policy: { allow: [host] },
      processes: inject('processes'),
    });
    const { answer } = await answerTo(browsers, { requestId: 'r', url, timeoutMs: 20_000 });
    expect(answer).toMatchObject({ outcome: 'page', status: 200 });
  });
});
afterAll(() => vi.unstubAllEnvs());

function first(list: Sighting[] | undefined): Sighting {
  const sighting = list?.[0];
  if (!sighting) throw new Error('Nobody came.');
  return sighting;
}
const both = (protocol: keyof Seen) =>
  [first(seen.plain?.[protocol]), first(seen.rendered?.[protocol])] as const;
const withoutHost = ({ headers }: Sighting) =>
  headers.map(([name, value]) => [name, /^(host|:authority)$/i.test(name) ? 'host' : value]);

test.each(['h2', 'h1'] as const)(
  'a plain scrape sends the ClientHello of Chromium to a server of %s',
  (protocol) => {
    const [plain, rendered] = both(protocol);
    const { ja4, signatureAlgorithms, ...alike } = portraitOf(plain.hello);
    expect(portraitOf(rendered.hello)).toMatchObject(alike);
    // The BoringSSL of the client supports neither: docs/fidelity.md.
    expect(portraitOf(rendered.hello).signatureAlgorithms).toEqual([
      'grease',
      ...ML_DSA,
      ...signatureAlgorithms,
    ]);
    expect(ja4.slice(0, -12)).toBe(portraitOf(rendered.hello).ja4.slice(0, -12));
  },
);

test('docs/fidelity.md states the JA4 of plain and rendered scrapes', () => {
  const [plain, rendered] = both('h2');
  const guide = readFileSync(new URL('../../docs/fidelity.md', import.meta.url), 'utf8');
  expect(guide).toContain(portraitOf(plain.hello).ja4);
  expect(guide).toContain(portraitOf(rendered.hello).ja4);
});

test('extensions are shuffled between two GREASE values on every connection', () => {
  const orders = (seen.plain?.h2 ?? []).map(({ hello }) => orderOf(hello));
  expect(orders).toHaveLength(CONNECTIONS);
  for (const order of orders) expect([order[0], order.at(-1)]).toEqual(['grease', 'grease']);
  expect(new Set(orders.map((order) => order.join())).size).toBe(CONNECTIONS);
});

test('a scrape does not resume a TLS session of another scrape', () => {
  const PRE_SHARED_KEY = 41;
  for (const { hello } of seen.plain?.h2 ?? []) expect(orderOf(hello)).not.toContain(PRE_SHARED_KEY);
});

test('the GREASE ECH extension has a length that Chromium uses', () => {
  for (const { hello } of seen.plain?.h2 ?? [])
    expect([186, 218, 250, 282]).toContain(encryptedHelloBytes(hello));
});

test('HTTP/2 starts with the same frames, settings, windows, order and priority', () => {
  const [plain, rendered] = both('h2');
  expect(plain.http2).toEqual(rendered.http2);
  expect(plain.http2?.settings).toEqual([
    [1, 65_536],
    [2, 0],
    [4, 6_291_456],
    [6, 262_144],
  ]);
});

test('HTTP/2 headers have the same names, values and order', () => {
  const [plain, rendered] = both('h2');
  expect(inChromesOrder(withoutHost(rendered))).toEqual(withoutHost(plain));
});

test('HTTP/1.1 headers do too, except Priority, which Chromium sends over HTTP/2 only', () => {
  const [plain, rendered] = both('h1');
  expect(inChromesOrder(withoutHost(rendered))).toEqual(withoutHost(plain).slice(0, -1));
  expect(withoutHost(plain).at(-1)).toEqual(['Priority', 'u=0, i']);
});

/** Moves Accept-Language to its place in Chrome, because the user agent override puts it before Accept. */
function inChromesOrder(headers: string[][]): string[][] {
  const language = headers.filter(([name]) => /^accept-language$/i.test(name ?? ''));
  const others = headers.filter((header) => !language.includes(header));
  const after = others.findIndex(([name]) => /^accept-encoding$/i.test(name ?? ''));
  return others.toSpliced(after + 1, 0, ...language);
}
