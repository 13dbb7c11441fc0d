import { PRIVATE } from './network.ts';

/** What a page must never reach, on TCP and UDP. 9001 is where the Runtime API listens on Lambda. */
export const CANARY_ADDRESSES = ['127.0.0.1', '::1', ...PRIVATE] as const;
export const CANARY_PORTS = [80, 443, 8080, 9001] as const;
/** STUN and TURN, and HTTP/3. */
export const UDP_PORTS = [443, 3478, 8080, 9001] as const;

export const SECRET = 'planted-bytes-that-nobody-may-see';

export type BrowserReport = {
  /** What each render gave: `page`, or the code of the fault. */
  outcomes: Record<string, string>;
  /** Names of the ways by which the public control server was reached: they work. */
  reached: string[];
  tcp: string[];
  udp: string[];
  /** Questions that the machine's own resolver got: names are the guard's affair alone. */
  dns: number;
  /** Whether the planted file or a canary's words were in some output. */
  isLeaked: boolean;
  /** Whether each page ran to its end. */
  isWhole: boolean[];
};
