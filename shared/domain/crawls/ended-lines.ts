import type { Outcome } from '../../contract/crawls/crawl.ts';
import type { Found, WaveLine } from '../../contract/crawls/wave.ts';
import type { ContentUse } from '../../contract/crawls/crawl-request.ts';
import type { ErrorCode } from '../../errors.ts';
import { deniesUse } from './content-usage.ts';
import { KNOWN, type KnownUrls } from './known-urls.ts';
import { leftOut, type SiteRules } from './outcome.ts';
import { registrableDomain } from './scope.ts';
import type { SiteIdentity } from './site-identity.ts';
import { outcomeOfError } from './stop-reason.ts';

/** A line of a wave: what a worker found, or why it was not run. */
export type EndedLine = {
  line: number;
  asked: WaveLine;
  found?: Found | undefined;
  rest?: ErrorCode | undefined;
  /** When its host may be requested again, if it was not run because of a pause. */
  putOff?: Date | undefined;
};

/** The URL of a page, or its place in the ledger. `index`: in this wave. `waits`: it has not come yet. */
type SamePage = { page: string | number; index?: number; waits?: true };

/** What became of it. */
export type DecidedLine = EndedLine & {
  outcome: Outcome;
  /** The URL of the same page, or the place in the ledger at which it is. */
  sameAs?: SamePage['page'];
  /** A URL that waits: a later wave says whether it is the same page. Until then there is no outcome. */
  waitsFor?: string;
  /** What it redirects to, if that was not known. */
  target?: { url: string; outcome: Outcome };
  /** A new URL by which the page would be known. */
  canonical?: string;
  isFollowed: boolean;
};

export type DecidingContext = SiteIdentity & {
  known: KnownUrls;
  rules: SiteRules;
  contentUse: readonly ContentUse[];
  /** Places in the ledger of pages with these bytes. */
  pageOf: ReadonlyMap<bigint, number>;
};

export const errorOf = ({ found, rest }: EndedLine): ErrorCode | undefined =>
  found ? found.error_code : (rest ?? 'internal');

export const bytesKey = (hash: string): bigint => BigInt(`0x${hash}`);

const FIRST_ERROR_STATUS = 400;

/** The outcomes of a wave's lines, in the order of their places. */
export function decideLines(lines: readonly EndedLine[], context: DecidingContext): DecidedLine[] {
  const wave = openWave(lines, context);
  const all = lines.map((line, index) => {
    const { led, hasSameBytes, ...decided } = decide(line, index, { ...context, ...wave });
    const { outcome } = decided;
    if (led) wave.sameAs.set(index, led);
    if (outcome === 'page' && line.found?.hash) wave.byBytes.set(line.found.hash, index);
    const isKept = outcome === 'page' || outcome === 'unchanged' || hasSameBytes === true;
    context.known.set(new URL(line.asked.url), isKept ? KNOWN.page : KNOWN.gone);
    return led ? { ...decided, sameAs: led.page } : decided;
  });
  return all.map(({ target, ...line }, index) => {
    const { page, waits } = wave.pageAt(index);
    if (!waits) return target ? { ...line, target } : line;
    if (target) context.known.forget(new URL(target.url));
    return { ...line, waitsFor: String(page) };
  });
}

type Decision = Omit<DecidedLine, 'sameAs'> & { led?: SamePage; hasSameBytes?: boolean };
type Wave = ReturnType<typeof openWave>;

function openWave(lines: readonly EndedLine[], { exactOf }: SiteIdentity) {
  const indexes = new Map(lines.map(({ asked }, index) => [exactOf(new URL(asked.url)), index]));
  const sameAs = new Map<number, SamePage>();
  const urlOf = (index: number) => lines[index]?.asked.url ?? '';
  /** The page that a line leads to, as far as the lines are decided. Never in a circle: see `samePage`. */
  const pageAt = (index: number): SamePage => {
    const led = sameAs.get(index);
    if (led === undefined) return { index, page: urlOf(index) };
    return led.index === undefined ? led : pageAt(led.index);
  };
  return {
    lines,
    indexes,
    sameAs,
    targets: new Map<bigint, number>(),
    byBytes: new Map<string, number>(),
    pageAt,
  };
}

function decide(line: EndedLine, index: number, context: DecidingContext & Wave): Decision {
  const { found, asked } = line;
  const code = errorOf(line);
  const without = (outcome: Outcome): Decision => ({ ...line, outcome, isFollowed: false });
  if (!found || found.outcome === 'failed') return without(code ? outcomeOfError(code) : 'failed');
  if (found.outcome === 'unchanged') return without('unchanged');
  const own = new URL(asked.url);
  const end = found.url === undefined ? own : (URL.parse(found.url) ?? own);
  if (found.outcome === 'robots') {
    const target = hasMoved(own, end, context) ? newTarget(end, 'robots', context) : undefined;
    return { ...without('robots'), ...(target && { target }) };
  }
  if (isDenied(line, context)) return without('content_use');
  const isFollowed = (found.target_status ?? 0) < FIRST_ERROR_STATUS;
  const isRedirected = hasMoved(own, end, context);
  const redirected = isRedirected ? samePage(end, index, context) : undefined;
  if (redirected) return { ...without('duplicate'), led: redirected };
  const target = isRedirected ? pageAtTarget(end, index, context) : undefined;
  const page: Decision = { ...line, outcome: 'page', isFollowed, ...(target && { target }) };
  const bytes = sameBytes(found, context);
  if (bytes) return { ...page, outcome: 'duplicate', led: bytes, isFollowed: false, hasSameBytes: true };
  const canonical = isFollowed ? canonicalOf(found, [own, end], context) : undefined;
  const preferred = canonical && samePage(canonical, index, context);
  if (preferred) return { ...page, outcome: 'duplicate', led: preferred };
  const isNew = canonical && context.known.stateOf(canonical) === undefined;
  return isNew ? { ...page, canonical: canonical.href } : page;
}

/** Spellings that are one site are one URL, unless both were noted before that was known. */
function hasMoved(own: URL, end: URL, { keyOf, exactOf, known }: DecidingContext): boolean {
  if (keyOf(own) !== keyOf(end)) return true;
  const areApart = [own, end].every((url) => known.exactStateOf(url) !== undefined);
  return areApart && exactOf(own) !== exactOf(end);
}

/** The page at a URL that is known or wanted, unless that page is this line's own. */
function samePage(url: URL, index: number, context: DecidingContext & Wave): SamePage | undefined {
  const { exactOf, keysOf, known } = context;
  const keys = [exactOf(url), ...keysOf(url)];
  const other = keys
    .map((key) => context.indexes.get(key))
    .find((each) => each !== undefined && each !== index);
  const target = keys.map((key) => context.targets.get(key)).find((each) => each !== undefined);
  if (other === undefined && target !== undefined) return context.pageAt(target);
  if (other === undefined) {
    const state = known.exactStateOf(url) ?? known.stateOf(url);
    if (state === KNOWN.page) return { page: url.href };
    // Once it was put off for that, it is requested again, and is a page of its own.
    const mayWait = state === KNOWN.waits && context.lines[index]?.asked.crawl.led === undefined;
    return mayWait ? { page: url.href, waits: true } : undefined;
  }
  const page = context.pageAt(other);
  return hasPage(context.lines[other], context) && page.index !== index ? page : undefined;
}

function hasPage(line: EndedLine | undefined, context: DecidingContext): boolean {
  if (!line?.found || line.found.outcome === 'failed' || line.found.outcome === 'robots') return false;
  return !isDenied(line, context);
}

/** Whether the page says that it may not be used so. */
function isDenied({ asked, found }: EndedLine, { contentUse }: DecidingContext): boolean {
  const end = URL.parse(found?.url ?? asked.url) ?? new URL(asked.url);
  return deniesUse(found?.content_usage ?? '', contentUse, end);
}

function sameBytes(
  { hash }: Found,
  { byBytes, pageOf, pageAt }: DecidingContext & Wave,
): SamePage | undefined {
  const earlier = hash === undefined ? undefined : byBytes.get(hash);
  if (earlier !== undefined) return pageAt(earlier);
  const place = hash === undefined ? undefined : pageOf.get(bytesKey(hash));
  return place === undefined ? undefined : { page: place };
}

/** Notes what a redirect led to, if it is new: the same page, or a URL that is not wanted. */
function pageAtTarget(url: URL, from: number, context: DecidingContext & Wave): DecidedLine['target'] {
  const target = newTarget(url, 'duplicate', context);
  if (target?.outcome === 'duplicate') context.targets.set(context.keyOf(url), from);
  return target;
}

/** The outcome of a URL that is new, unless the rules leave it out. */
function newTarget(
  url: URL,
  wanted: 'duplicate' | 'robots',
  { known, rules }: DecidingContext,
): DecidedLine['target'] {
  if (known.stateOf(url) !== undefined) return undefined;
  url.hash = '';
  const outcome = leftOut(url, rules) ?? wanted;
  known.set(url, outcome === 'duplicate' ? KNOWN.page : KNOWN.unwanted);
  return { url: url.href, outcome };
}

function canonicalOf({ canonical }: Found, [own, end]: [URL, URL], { keyOf }: SiteIdentity): URL | undefined {
  const url = canonical === undefined ? null : URL.parse(canonical);
  if (!url || !/^https?:$/.test(url.protocol) || registrableDomain(url) !== registrableDomain(end))
    return undefined;
  url.hash = '';
  return [own, end].some((each) => keyOf(each) === keyOf(url)) ? undefined : url;
}
