import { Resolver, lookup } from 'node:dns/promises';
import { isPublicAddress } from '../domain/scrape/target/public-address.ts';
import { canonicalHost, literalOf, mayBePublic } from '../domain/scrape/target/target-host.ts';
import { AppError } from '../errors.ts';

export type EgressPolicy = {
  /** Private `host:port` targets that are allowed (local stack only). */
  allow: readonly string[];
  /** Hosts that are never targets, such as the service's own. */
  refuse?: readonly string[];
  /** DNS servers for c-ares; default: the system's. */
  dnsServers?: readonly string[];
  /** http, https or socks5 URL with credentials, placeholders filled in. */
  upstreamUrl?: string;
};

/** A target that may be dialled, at these addresses only. */
export type EgressDecision = { host: string; port: number; addresses: readonly string[] };

const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;
/** Judges every address of a name, resolved once. Throws `url_not_allowed` and `dns_failed`. */
export async function decide(
  host: string,
  port: number,
  policy: EgressPolicy,
  signal?: AbortSignal,
): Promise<EgressDecision> {
  const name = readHost(host);
  if (policy.allow.includes(`${name}:${port}`)) return { host: name, port, addresses: await allowed(name) };
  const bare = name.replace(/\.$/, '');
  if (!mayBePublic(bare, port) || policy.refuse?.includes(bare)) throw new AppError('url_not_allowed');
  const literal = literalOf(bare);
  const addresses = literal === undefined ? await resolve(bare, policy, signal) : [literal];
  if (!addresses.every(isPublicAddress)) throw new AppError('url_not_allowed');
  return { host: name, port, addresses };
}

/** The host in the WHATWG spelling. Throws `url_not_allowed` for anything else. */
export function readHost(host: string): string {
  const name = canonicalHost(host);
  if (name === undefined) throw new AppError('url_not_allowed');
  return name;
}

async function resolve(name: string, policy: EgressPolicy, signal?: AbortSignal): Promise<string[]> {
  // c-ares instead of getaddrinfo: no hosts file, search list or thread, and it can be cancelled.
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

/** Uses the system's resolver, so that `localhost` works. */
async function allowed(name: string): Promise<string[]> {
  const literal = literalOf(name);
  if (literal !== undefined) return [literal];
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  } catch (cause) {
    throw new AppError('dns_failed', { cause });
  }
}
