import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6, type Socket } from 'node:net';
import type { RequestListener } from 'node:http';
import { isolates, type Isolates } from '../../../functions/browser/launch/isolates.ts';
import type { Guard } from '../../../shared/egress/guard.ts';
import { answerTo } from '../../support/browser/chromium.ts';
import { dnsServer, type Answer } from '../../support/servers/dns-server.ts';
import { sentPackets } from '../../support/servers/network-namespace.ts';
import { rawServer, targetServer, tlsServer } from '../../support/servers/target-server.ts';
import {
  CANARY_ADDRESSES,
  CANARY_PORTS,
  MDNS_PORT,
  SECRET,
  UDP_PORTS,
  WAYS_OUT,
  type BrowserReport,
} from './browser-network.ts';
import { hostilePage, workerScript } from './hostile-page.ts';
import { PUBLIC } from './network.ts';

const [chromiumDir = '', planted = '', extent = '', ...resolvers] = process.argv.slice(2);
/** Public servers that pages may reach: a way that does not reach them proves nothing. */
const CONTROLS: Readonly<Record<string, string>> = {
  http: 'http://www.example.com:8080',
  https: 'https://www.example.com:8443',
};
const names = ['10-0-0-5.nip.example.com', 'meta.example.com'];
const ZONE: Readonly<Record<string, Answer>> = {
  'www.example.com': [PUBLIC],
  'meta.example.com': ['169.254.169.254'],
  '10-0-0-5.nip.example.com': ['10.0.0.5'],
};
const files = ['file://', 'view-source:file://', 'filesystem:file://', 'file://localhost'].map(
  (scheme) => scheme + planted,
);
const hosts = CANARY_ADDRESSES.map((address) => (isIPv6(address) ? `[${address}]` : address));
const usual = [...hosts, ...names, '127.0.0.1:9001'];
const ports = hosts.flatMap((host) => CANARY_PORTS.map((port) => `${host}:${port}`));

/** The targets of a page: `http` or `https` inside, or the control server of its own scheme. */
function aimsOf(aim: string, scheme: string) {
  if (aim === '') return { origins: [CONTROLS[scheme] ?? ''], others: [], files: [] };
  const urls = (places: string[]) => places.map((place) => `${aim}://${place}`);
  // Every other port, so that pages of both schemes try each of them once.
  const others = ports.filter((_, n) => (n % 2 === 0) === (aim === scheme));
  return { origins: urls(usual), others: urls(others), files };
}

/** Navigations of a whole page, one render each. */
const moves: Readonly<Record<string, (url: string) => string>> = {
  meta: (url) => `<meta http-equiv=refresh content="0;url=${url}">`,
  script: (url) => `<script>location = ${JSON.stringify(url)}</script>`,
  form: (url) => `<form method=post action="${url}"></form><script>document.forms[0].submit()</script>`,
};

const TARGETS = [
  'http://127.0.0.1/',
  'https://169.254.169.254/',
  'http://127.0.0.1:9001/',
  'http://meta.example.com/',
];

const CONTROL_TURNS = 6;
const reached = new Set<string>();
const unreached = () => WAYS_OUT.filter((way) => !reached.has(way));
const control =
  (scheme: string): RequestListener =>
  ({ url = '' }, response) => {
    reached.add(`${scheme} ${url.slice(1)}`);
    response.setHeader('access-control-allow-origin', '*').end();
  };
const site =
  (scheme: string): RequestListener =>
  ({ url = '', headers }, response) => {
    const { pathname, search } = new URL(url, `http://${headers.host}`);
    const argument = decodeURIComponent(search.slice(1));
    const move = moves[pathname.slice(1)];
    if (pathname === '/redirect') response.writeHead(302, { location: argument }).end();
    else if (pathname === '/service-worker.js')
      response
        .setHeader('content-type', 'text/javascript')
        .end(workerScript(aimsOf(argument, scheme).origins, 'service'));
    else
      response
        .setHeader('content-type', 'text/html; charset=utf-8')
        .end(move ? move(argument) : hostilePage(aimsOf(argument, scheme)));
  };

await using stack = new AsyncDisposableStack();
const tcp: string[] = [];
const udp: string[] = [];
for (const address of CANARY_ADDRESSES) {
  for (const port of CANARY_PORTS) {
    const take = () => void tcp.push(`${address} ${port}`);
    const talk = (socket: Socket) => (take(), socket.end(`HTTP/1.1 200 OK\r\n\r\n${SECRET}`));
    stack.use(await rawServer(talk, { address, port }));
  }
  for (const port of UDP_PORTS) await listenUdp(address, port, () => void udp.push(`${address} ${port}`));
}
// A group that any process here joins is delivered to these too, which join none and so send no IGMP.
for (const address of ['0.0.0.0', '::'])
  await listenUdp(
    address,
    MDNS_PORT,
    (message) => void udp.push(`${address} ${MDNS_PORT} ${message.toString('latin1')}`),
  );
let dnsQuestions = 0;
for (const resolver of resolvers) await listenUdp(resolver, 53, () => void (dnsQuestions += 1));
stack.use(await targetServer(site('http'), { address: PUBLIC, port: 80 }));
stack.use(await tlsServer(site('https'), { address: PUBLIC, port: 443 }));
stack.use(await targetServer(control('http'), { address: PUBLIC, port: 8080 }));
stack.use(await tlsServer(control('https'), { address: PUBLIC, port: 8443 }));
const dns = stack.use(await dnsServer(({ name }) => ZONE[name] ?? []));

const before = await sentPackets();
const report: BrowserReport = {
  outcomes: {},
  unreached: [],
  tcp,
  udp,
  dns: 0,
  sent: before,
  isLeaked: false,
  pages: {},
};

async function render(browsers: Isolates, url: string): Promise<void> {
  // A closed guard still reports its faults.
  let guard: Guard | undefined;
  const take: Isolates['take'] = async (...wishes) => {
    const isolate = await browsers.take(...wishes);
    ({ guard } = isolate);
    return isolate;
  };
  const { answer, html } = await answerTo(
    { ...browsers, take },
    { requestId: 'test', url, timeoutMs: 30_000 },
  );
  report.outcomes[url] = answer.outcome === 'page' ? 'page' : answer.code;
  report.isLeaked ||= JSON.stringify(answer).includes(SECRET) || html.includes(SECRET);
  const { protocol, pathname, search } = new URL(url);
  if (pathname !== '/') return;
  const { origins, others } = aimsOf(search.slice(1), protocol.slice(0, -1));
  const isRefused = (origin: string) => guard?.faultOf(origin)?.code === 'url_not_allowed';
  report.pages[url] = {
    isWhole: html.includes('id="end"'),
    untried: search === '' ? [] : [...origins, ...others].filter((origin) => !isRefused(origin)),
  };
}

const queue = [
  ...['http', 'https'].flatMap((aim) =>
    ['http', 'https'].map((scheme) => `${scheme}://www.example.com/?${aim}`),
  ),
  ...[...Object.keys(moves), 'redirect'].flatMap((move, way) =>
    [...TARGETS, ...files.slice(0, 2)]
      // Some are a third, with each way and each target in it.
      .filter((_, place) => extent === 'all' || (way + place) % 3 === 0)
      .map((to) => `http://www.example.com/${move}?${encodeURIComponent(to)}`),
  ),
];
/** Renders in one browser after another until nothing is left. */
async function renderNext(): Promise<void> {
  await using browsers = isolates({
    chromiumDir,
    policy: { allow: [], dnsServers: [dns.address] },
    processes: 'one',
  });
  for (let url = queue.shift(); url !== undefined; url = queue.shift()) await render(browsers, url);
}
// Chromium has 32 sockets through a proxy: requests still queued when a page is abandoned are retried.
for (let turn = 0; turn < CONTROL_TURNS && unreached().length > 0; turn += 1) {
  queue.unshift('http://www.example.com/', 'https://www.example.com/');
  await Promise.all([renderNext(), renderNext()]);
}

report.unreached = unreached();
report.dns = dnsQuestions;
const after = await sentPackets();
report.sent = {
  // Less the guard's questions and their answers.
  datagrams: after.datagrams - before.datagrams - 2 * dns.asked.length,
  multicast: after.multicast - before.multicast,
};
process.stdout.write(JSON.stringify(report));

async function listenUdp(address: string, port: number, onMessage: (message: Buffer) => void): Promise<void> {
  const type = isIPv6(address) ? 'udp6' : 'udp4';
  const socket = createSocket({ type, reuseAddr: true, ipv6Only: isIPv6(address) }, onMessage).bind(
    port,
    address,
  );
  await once(socket, 'listening');
  stack.defer(() => void socket.close());
}
