import { getDomain } from 'tldts';
import type { Scope } from '../../contract/crawls/map.ts';
import { normalizedEscapes } from '../scrape/target/normalized-escapes.ts';

/**
 * Whether a URL belongs to the site of a seed: below its folder (`path`), at its host with and without `www.`
 * over http and https (`host`), or in its registrable domain by the public suffix list (`domain`).
 */
export function scopeOf(scope: Scope, seed: URL): (url: URL) => boolean {
  if (scope === 'domain') {
    const domain = registrableDomain(seed);
    return (url) => registrableDomain(url) === domain;
  }
  const host = bareHost(seed);
  const isAtHost = (url: URL) => bareHost(url) === host;
  if (scope === 'host') return isAtHost;
  const folder = folderOf(seed);
  return (url) => isAtHost(url) && normalizedEscapes(url.pathname).startsWith(folder);
}

/** `example.co.uk`; the host itself where it is an address or a suffix, such as `localhost`. */
export function registrableDomain({ hostname }: URL): string {
  return getDomain(hostname, { allowPrivateDomains: true }) ?? hostname;
}

/** Host and port, without `www.`. */
export const bareHost = ({ hostname, port }: URL): string => `${hostname.replace(/^www\./, '')}:${port}`;

/** `/shop/` of `/shop/` and of `/shop/index.html`. */
const folderOf = ({ pathname }: URL) => normalizedEscapes(pathname.slice(0, pathname.lastIndexOf('/') + 1));
