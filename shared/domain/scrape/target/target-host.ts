import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.ts';

/** Ports of websites. Others belong to other services. */
export const PORTS: readonly number[] = [80, 443, 8080, 8443];
/** Names of private networks, RFC 6761, 6762, 7686, 8375 and ICANN SAC113. */
const PRIVATE_NAME =
  /(^|\.)(localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa|onion|alt|test|invalid)$/;
/** RFC 1123 §2.1 with underscores: no `@`, `/`, `%` and nothing beyond ASCII. */
const NAME = /^(?=.{1,254}$)([a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}\.?$/i;
const BRACKETED = /^\[[0-9a-f:.]+\]$/i;

/** The WHATWG spelling: `127.1` is `127.0.0.1`. Undefined for an invalid host. */
export function canonicalHost(host: string): string | undefined {
  if (!BRACKETED.test(host) && !NAME.test(host)) return undefined;
  return URL.canParse(`http://${host}/`) ? new URL(`http://${host}/`).hostname : undefined;
}

/** Whether a canonical host and port may be a target, before any DNS lookup. */
export function mayBePublic(host: string, port: number): boolean {
  return whyNotPublic(host, port) === undefined;
}

/** Why a canonical host and port must not be a target, before any DNS lookup. */
export function whyNotPublic(host: string, port: number): 'private' | 'host' | 'port' | undefined {
  const name = host.replace(/\.$/, '');
  const literal = literalOf(name);
  if (literal !== undefined && !isPublicAddress(literal)) return 'private';
  if (literal === undefined && PRIVATE_NAME.test(name)) return 'private';
  if (literal === undefined && !name.includes('.')) return 'host';
  return PORTS.includes(port) ? undefined : 'port';
}

/** The literal address without brackets; undefined for a name. */
export function literalOf(host: string): string | undefined {
  const bare = host.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? undefined : bare;
}
