import type { Via } from '../../contract/crawls/crawl.ts';
import type { SiteIdentity } from './site-identity.ts';

/** A URL where it was found. */
export type Sighting = {
  url: string;
  depth: number;
  via: Via;
  foundOn?: string | undefined;
  lastmod?: string | undefined;
};

/** What is known of a discovered URL: the numbers of the table `seen`. */
export const KNOWN = {
  /** It is not requested. */
  unwanted: 1,
  /** It is a page. */
  page: 2,
  /** It was requested without a page of its own. */
  gone: 3,
  /** It waits, or is being requested. */
  waits: 4,
} as const;
export type Known = (typeof KNOWN)[keyof typeof KNOWN];

export type KnownUrls = {
  /** In any spelling that redirects have proved to be the same. */
  stateOf: (url: URL) => number | undefined;
  /** In this spelling. */
  exactStateOf: (url: URL) => number | undefined;
  set: (url: URL, state: Known) => void;
  /** Takes back what was noted of a new URL. */
  forget: (url: URL) => void;
};

/**
 * The URLs that a crawl knows. `seen` has the rows of the table for all URLs that are compared; changes to
 * them are collected in `changes`.
 */
export function knownUrls(
  { keyOf, exactOf, keysOf }: SiteIdentity,
  seen: ReadonlyMap<bigint, number>,
  changes: Map<bigint, number>,
): KnownUrls {
  const stateAt = (key: bigint) => changes.get(key) ?? seen.get(key);
  return {
    stateOf: (url) => {
      const states = keysOf(url).flatMap((key) => stateAt(key) ?? []);
      return [KNOWN.page, KNOWN.waits].find((each) => states.includes(each)) ?? states[0];
    },
    exactStateOf: (url) => stateAt(exactOf(url)),
    set: (url, state) => {
      const keys = [exactOf(url), ...keysOf(url)];
      changes.set(keys.find((key) => stateAt(key) !== undefined) ?? keyOf(url), state);
    },
    forget: (url) => void changes.delete(keyOf(url)),
  };
}
