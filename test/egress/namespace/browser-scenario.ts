import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6, type Socket } from 'node:net';
import type { RequestListener } from 'node:http';
import { isolates } from '../../../functions/browser/keep-warm.ts';
import { answerTo } from '../../support/chromium.ts';
import { dnsServer, type Answer } from '../../support/dns-server.ts';
import { rawServer, targetServer, tlsServer } from '../../support/target-server.ts';
import { CANARY_ADDRESSES, CANARY_PORTS, SECRET, UDP_PORTS, type BrowserReport } from './browser-network.ts';
import { hostilePage } from './hostile-page.ts';
import { PUBLIC } from './network.ts';

const [chromiumDir = '', planted = '', ...resolvers] = process.argv.slice(2);
const CONTROL = 'www.example.com:8080';
const names = ['10-0-0-5.nip.example.com', 'meta.example.com'];
const ZONE: Readonly<Record<string, Answer>> = {
  'www.example.com': [PUBLIC],
  'meta.example.com': ['169.254.169.254'],
  '10-0-0-5.nip.example.com': ['10.0.0.5'],
};
const files = [`file://${planted}`, `view-source:file://${planted}`, `filesystem:file://${planted}`];
const inside = [...CANARY_ADDRESSES.map((address) => (isIPv6(address) ? `[${address}]` : address)), ...names];

/** Where a whole page is sent, one render each. */
const moves: Readonly<Record<string, (url: string) => string>> = {
  meta: (url) => `<meta http-equiv=refresh content="0;url=${url}">`,
  script: (url) => `<script>location = ${JSON.stringify(url)}</script>`,
  form: (url) => `<form method=post action="${url}"></form><script>document.forms[0].submit()</script>`,
};

const reached = new Set<string>();
const control: RequestListener = (request, response) => {
  reached.add((request.url ?? '').slice(1));
  response.setHeader('access-control-allow-origin', '*').end();
};
const site: RequestListener = ({ url = '', headers }, response) => {
  const scheme = 'encrypted' in (response.socket ?? {}) ? 'https' : 'http';
  const { pathname, search } = new URL(url, `http://${headers.host}`);
  const argument = decodeURIComponent(search.slice(1));
  if (pathname === '/service-worker.js')
    return void response
      .setHeader('content-type', 'text/javascript')
      .end(`fetch('${argument}', { mode: 'no-cors' })`);
  response.setHeader('content-type', 'text/html; charset=utf-8');
  const move = moves[pathname.slice(1)];
  if (move) return void response.end(move(argument));
  const hosts = [...inside, '127.0.0.1:8080', '127.0.0.1:9001', '10.0.0.5:8080'];
  const origins = argument === '' ? [`${scheme}://${CONTROL}`] : hosts.map((host) => `${argument}://${host}`);
  response.end(hostilePage(origins, argument === '' ? [] : files));
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
let dnsQuestions = 0;
for (const resolver of resolvers) await listenUdp(resolver, 53, () => void (dnsQuestions += 1));
stack.use(await targetServer(site, { address: PUBLIC, port: 80 }));
stack.use(await tlsServer(site, { address: PUBLIC, port: 443 }));
stack.use(await targetServer(control, { address: PUBLIC, port: 8080 }));
const dns = stack.use(await dnsServer(({ name }) => ZONE[name] ?? []));

const browsers = stack.use(isolates(chromiumDir, { allow: [], dnsServers: [dns.address] }));
const report: BrowserReport = {
  outcomes: {},
  reached: [],
  tcp,
  udp,
  dns: 0,
  isLeaked: false,
  isWhole: [],
};

async function render(url: string): Promise<string> {
  const { answer, html } = await answerTo(browsers, { requestId: 'test', url, timeoutMs: 15_000 });
  report.outcomes[url] = answer.outcome === 'page' ? 'page' : answer.code;
  report.isLeaked ||= JSON.stringify(answer).includes(SECRET) || html.includes(SECRET);
  return html;
}
for (const url of ['http://www.example.com/', 'https://www.example.com/']) {
  for (const scheme of ['', 'http', 'https']) {
    report.isWhole.push((await render(`${url}?${scheme}`)).includes('id="end"'));
  }
}
const insides = [
  'http://127.0.0.1/',
  'https://169.254.169.254/',
  'http://127.0.0.1:9001/',
  'http://meta.example.com/',
];
for (const move of Object.keys(moves)) {
  for (const to of insides) await render(`http://www.example.com/${move}?${encodeURIComponent(to)}`);
}
for (const file of files) await render(`http://www.example.com/script?${encodeURIComponent(file)}`);

report.reached = [...reached].sort();
report.dns = dnsQuestions;
process.stdout.write(JSON.stringify(report));

async function listenUdp(address: string, port: number, onMessage: () => void): Promise<void> {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4', onMessage).bind(port, address);
  await once(socket, 'listening');
  stack.defer(() => void socket.close());
}
