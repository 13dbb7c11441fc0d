import { Resolver, lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isPublicAddress } from '../domain/public-address.ts';
import { AppError } from '../errors.ts';

export type EgressPolicy = {
  /** `host:port` targets that are allowed although private (local stack only). */
  allow: readonly string[];
  /** Host names that are never a target, such as the service's own. */
  refuse?: readonly string[];
  /** DNS servers for c-ares, default the system's. */
  dnsServers?: readonly string[];
  /** Premium upstream: http, https or socks5 URL with credentials, placeholders already filled in. */
  upstreamUrl?: string;
};

/** A target that may be dialled: at these addresses and no others. */
export type Verdict = { host: string; port: number; addresses: readonly string[] };

const PORTS: readonly number[] = [80, 443, 8080, 8443];
const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;
/** Names that mean something only inside some network, RFC 6761, 6762, 7686, 8375 and ICANN SAC113. */
const PRIVATE_NAME =
  /(^|\.)(localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa|onion|alt|test|invalid)$/;
/** Letters, digits, hyphens and underscores, RFC 1123 §2.1: neither `@`, `/`, `%` nor anything beyond ASCII. */
const NAME = /^(?=.{1,254}$)([a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}\.?$/;

/**
 * Judges a target as a client wrote it (name or literal in any spelling, IPv6 in brackets) and gives the addresses
 * to dial. Resolves a name once; every answer must be public. Throws `url_not_allowed` and `dns_failed`.
 */
export async function decide(
  host: string,
  port: number,
  policy: EgressPolicy,
  signal?: AbortSignal,
): Promise<Verdict> {
  const name = canonicalHost(host);
  if (policy.allow.includes(`${name}:${port}`)) return { host: name, port, addresses: await allowed(name) };
  const bare = name.replace(/\.$/, '');
  if (!PORTS.includes(port) || policy.refuse?.includes(bare)) throw new AppError('url_not_allowed');
  const literal = unbracketed(bare);
  const addresses = isIP(literal) === 0 ? await resolve(publicName(bare), policy, signal) : [literal];
  if (!addresses.every(isPublicAddress)) throw new AppError('url_not_allowed');
  return { host: name, port, addresses };
}

/** The host as the WHATWG rules write it: `127.1` is 127.0.0.1. Throws `url_not_allowed` for what is none. */
export function canonicalHost(host: string): string {
  const isBracketed = /^\[[0-9a-f:.]+\]$/i.test(host);
  if (!isBracketed && !NAME.test(host.toLowerCase())) throw new AppError('url_not_allowed');
  if (!URL.canParse(`http://${host}/`)) throw new AppError('url_not_allowed');
  return new URL(`http://${host}/`).hostname;
}

function publicName(name: string): string {
  if (!name.includes('.') || PRIVATE_NAME.test(name)) throw new AppError('url_not_allowed');
  return name;
}

async function resolve(name: string, policy: EgressPolicy, signal?: AbortSignal): Promise<string[]> {
  // c-ares and not getaddrinfo: no hosts file, no search list, no thread, and it can be cancelled.
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  if (policy.dnsServers) resolver.setServers(policy.dnsServers);
  const cancel = () => resolver.cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  signal?.removeEventListener('abort', cancel);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length > 0) return addresses;
  throw new AppError('dns_failed', { cause: answers.find((answer) => answer.status === 'rejected')?.reason });
}

/** An allowed target is dialled where the operating system says it is, so that `localhost` works. */
async function allowed(name: string): Promise<string[]> {
  const literal = unbracketed(name);
  if (isIP(literal) !== 0) return [literal];
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  } catch (cause) {
    throw new AppError('dns_failed', { cause });
  }
}

function unbracketed(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}
