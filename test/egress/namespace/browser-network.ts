import { PRIVATE } from './network.ts';

/** What a page must never reach, on TCP and UDP: every port of websites, the one of Lambda's Runtime API, a high one. */
export const CANARY_ADDRESSES = ['127.0.0.1', '::1', ...PRIVATE] as const;
export const CANARY_PORTS = [80, 443, 8080, 8443, 9001, 50_123] as const;
/** STUN and TURN on their own ports and others, HTTP/3. */
export const UDP_PORTS = [443, 3478, 5349, 8080, 8443, 9001, 50_123] as const;

export const SECRET = 'planted-bytes-that-nobody-may-see';

export type BrowserReport = {
  /** What each render gave: `page`, or the code of the fault. */
  outcomes: Record<string, string>;
  /** The ways by which the public control servers were not reached, as `https fetch`: they prove nothing. */
  unreached: string[];
  tcp: string[];
  udp: string[];
  /** Questions that the machine's own resolver got: names are the guard's affair alone. */
  dns: number;
  /** Whether the planted file or a canary's words were in some output. */
  isLeaked: boolean;
  /** Of each hostile page: whether it ran to its end, and the origins that it never asked the guard for. */
  pages: Record<string, { isWhole: boolean; untried: string[] }>;
};

/** Ways out that a page of ours has and uses over both schemes. What is missing here is switched off in the browser. */
const WORKING = [
  ...['assigned', 'beacon', 'css', 'download', 'dynamic', 'embed', 'eventsource', 'fetch', 'form', 'iframe'],
  ...['import', 'keepalive', 'link', 'module', 'modulepreload', 'object', 'ping', 'prefetch', 'preload'],
  ...['refresh', 'script', 'srcdoc', 'websocket', 'xhr'],
  ...['worker', 'shared'].flatMap((kind) =>
    ['eventsource', 'fetch', 'script', 'socket'].map((way) => kind + way),
  ),
];
/** Open to secure pages alone. */
const SECURE = ['servicefetch', 'servicesocket', 'serviceeventsource', 'prerender', 'speculated'];

/** All of them, with the scheme of the page. */
export const WAYS_OUT: readonly string[] = [
  ...WORKING.flatMap((way) => [`http ${way}`, `https ${way}`]),
  ...SECURE.map((way) => `https ${way}`),
];
