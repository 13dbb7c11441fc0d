import type { RequestListener } from 'node:http';
import { toAppError } from '../../../shared/errors.ts';
import { chromeFetcher } from '../../../shared/adapters/web/chrome-fetcher.ts';
import { dnsServer, type Answer, type Question } from '../../support/servers/dns-server.ts';
import { canary, targetServer, tlsServer } from '../../support/servers/target-server.ts';
import { EXPECTED, PRIVATE, PUBLIC, PUBLIC_IPV6, type Report } from './network.ts';
import { scrapeContext } from '../../support/world/scrape-context.ts';

const REBINDING = 'rebind.example.com';
const ZONE: Readonly<Record<string, Answer>> = {
  'www.example.com': [PUBLIC],
  'other.example.net': [PUBLIC],
  'six.example.com': [PUBLIC_IPV6],
  'mixed.example.com': [PUBLIC, '127.0.0.1'],
  'mixed-six.example.com': [PUBLIC, 'fd00:ec2::254'],
  'alias.example.com': ['cname:inside.example.net', '10.0.0.5'],
  'meta.example.com': ['169.254.169.254'],
  'mapped.example.com': ['::ffff:7f00:1'],
  '10-0-0-5.nip.example.com': ['10.0.0.5'],
};

/** The first resolution, which queries A and AAAA, gets the public address, all later ones loopback. */
function answer({ name }: Question, asked: readonly Question[]): Answer {
  if (name !== REBINDING) return ZONE[name] ?? [];
  return asked.filter((question) => question.name === REBINDING).length < 2 ? [PUBLIC] : ['127.0.0.1'];
}

const site: RequestListener = ({ url = '' }, response) => {
  const [path, location] = url.split('?');
  if (path === '/to') response.writeHead(302, { location });
  response.end('public');
};

await using stack = new AsyncDisposableStack();
const dns = stack.use(await dnsServer(answer));
stack.use(await targetServer(site, { address: PUBLIC, port: 80 }));
stack.use(await targetServer(site, { address: PUBLIC, port: 8080 }));
stack.use(await targetServer(site, { address: PUBLIC, port: 9001 }));
stack.use(await targetServer(site, { address: PUBLIC_IPV6, port: 8080 }));
stack.use(await tlsServer(site, { address: PUBLIC, port: 443 }));
const canaries: { connections: () => number }[] = [];
for (const address of ['127.0.0.1', '::1', ...PRIVATE]) {
  for (const port of [80, 443, 8080, 9001]) canaries.push(stack.use(await canary({ address, port })));
}

const getPage = chromeFetcher({ allow: [], dnsServers: [dns.address] }, () => Promise.resolve(undefined));
const outcomes: Record<string, string> = {};
for (const url of Object.keys(EXPECTED)) {
  const context = scrapeContext(AbortSignal.timeout(5_000));
  outcomes[url] = await getPage({ url, renderJs: false, premiumProxy: false, timeout: 5_000 }, context).then(
    ({ status, body }) => `${status} ${Buffer.from(body).toString()}`,
    (error: unknown) => toAppError(error).code,
  );
}
const report: Report = {
  outcomes,
  hits: canaries.reduce((sum, { connections }) => sum + connections(), 0),
  asked: dns.asked.filter(({ name }) => name === REBINDING).length,
};
process.stdout.write(JSON.stringify(report));
