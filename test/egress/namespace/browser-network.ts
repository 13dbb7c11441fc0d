import type { SentPackets } from '../../support/servers/network-namespace.ts';
import { PRIVATE } from './network.ts';

/** Private addresses that a page must not reach: on all web ports, the Runtime API's port and a high one. */
export const CANARY_ADDRESSES = ['127.0.0.1', '::1', ...PRIVATE] as const;
export const CANARY_PORTS = [80, 443, 8080, 8443, 9001, 50_123] as const;
/** STUN and TURN on their standard ports and others, HTTP/3. */
export const UDP_PORTS = [443, 3478, 5349, 8080, 8443, 9001, 50_123] as const;
export const MDNS_PORT = 5353;

export const SECRET = 'planted-bytes-that-nobody-may-see';

export type BrowserReport = {
  /** The outcome of each render: `page` or the error code. */
  outcomes: Record<string, string>;
  /** Ways that failed to reach a public control server, as `https fetch`: they prove nothing. */
  unreached: string[];
  tcp: string[];
  udp: string[];
  /** By any process of the network to any address, besides the guard's queries. */
  sent: SentPackets;
  /** Queries to the resolver of the machine: only the guard resolves names. */
  dns: number;
  /** Whether the planted file or the secret of a canary appeared in an output. */
  isLeaked: boolean;
  /** For each hostile page: whether it finished, and the origins that it did not try. */
  pages: Record<string, { isWhole: boolean; untried: string[] }>;
};

/** Ways out that work over both schemes. The browser disables all others. */
const WORKING = [
  ...['assigned', 'beacon', 'css', 'download', 'dynamic', 'embed', 'eventsource', 'fetch', 'form', 'iframe'],
  ...['import', 'keepalive', 'link', 'module', 'modulepreload', 'object', 'ping', 'prefetch', 'preload'],
  ...['refresh', 'script', 'srcdoc', 'websocket', 'xhr'],
  ...['worker', 'shared'].flatMap((kind) =>
    ['eventsource', 'fetch', 'script', 'socket'].map((way) => kind + way),
  ),
];
/** Available to secure pages only. */
const SECURE = ['servicefetch', 'servicesocket', 'serviceeventsource', 'prerender', 'speculated'];

/** All of them, with the scheme of the page. */
export const WAYS_OUT: readonly string[] = [
  ...WORKING.flatMap((way) => [`http ${way}`, `https ${way}`]),
  ...SECURE.map((way) => `https ${way}`),
];
