import parserModule from 'robots-parser';

/** What a robots.txt says to one crawler: https://www.rfc-editor.org/rfc/rfc9309 */
export type Robots = {
  /** By its path and query alone, so one file speaks for all spellings of its host. */
  isAllowed: (url: string) => boolean;
  /** As written: absolute URLs, or paths by mistake. */
  sitemaps: readonly string[];
  /** Paths without wildcards that any crawler may request. */
  allowedPaths: readonly string[];
};

/** What else a robots.txt says to one crawler, which RFC 9309 leaves open. */
export type RobotsWishes = {
  /** Seconds between two requests. */
  crawlDelay?: number;
  /** The values of `Content-Usage` and `Content-Signal`, each a line. */
  contentUsage?: string;
};

/** Its types describe an ES module, which it is not. */
const robotsParser = parserModule as unknown as typeof parserModule.default;

/** Bytes of a file that are read; at least 500 KiB: https://www.rfc-editor.org/rfc/rfc9309#section-2.5 */
export const MAX_ROBOTS_BYTES = 512_000;
/** With more redirects a file counts as missing: https://www.rfc-editor.org/rfc/rfc9309#section-2.3.1.2 */
const MAX_ROBOTS_REDIRECTS = 5;

type RobotsResponse = { status: number; redirects: number; body: Uint8Array };

/** The rules for the crawler of this name. Without a response, nothing is allowed; a 4xx allows all. */
export function robotsOf(response: RobotsResponse | undefined, token: string): Robots {
  if (response === undefined || response.status >= 500) return everything(false);
  const { status, redirects, body } = response;
  if (status >= 300 || redirects > MAX_ROBOTS_REDIRECTS) return everything(true);
  return parseRobots(Buffer.from(body.subarray(0, MAX_ROBOTS_BYTES)).toString(), token);
}

export function parseRobots(text: string, token: string): Robots {
  const lines = robotsLines(text);
  const parser = robotsParser(`${ANY_ORIGIN}/robots.txt`, groupsFor(token, lines));
  const valuesOf = (wanted: string) => lines.flatMap(({ name, value }) => (name === wanted ? [value] : []));
  return {
    isAllowed: (url) => parser.isAllowed(ANY_ORIGIN + encodedPath(url), OURS) !== false,
    sitemaps: valuesOf('sitemap').filter(Boolean),
    allowedPaths: valuesOf('allow').filter((path) => /^\/[^*$]*$/.test(path)),
  };
}

const everything = (isAllowed: boolean): Robots => ({
  isAllowed: () => isAllowed,
  sitemaps: [],
  allowedPaths: [],
});

const ANY_ORIGIN = 'http://any-host';
/** What the parser knows the crawler as; names of all others would each get a copy of their rules. */
const [OURS, ANYONE, OTHERS] = ['ours', '*', 'others'];

/** Groups for the crawler, for any crawler and for others, in the form that the parser expects. */
function groupsFor(token: string, lines: readonly RobotsLine[]): string {
  const written: string[] = [];
  for (const { name, value } of lines) {
    if (name === 'sitemap') continue;
    const line = name === 'user-agent' ? `user-agent: ${agentOf(value, token)}` : `${name}: ${value}`;
    if (name !== 'user-agent' || !hasSince(written, line)) written.push(line);
  }
  return written.join('\n');
}

/** Whether the group that begins is already for this crawler. */
function hasSince(written: readonly string[], line: string): boolean {
  const group = written.slice(-3);
  const begun = group.findLastIndex((each) => !each.startsWith('user-agent:'));
  return group.slice(begun + 1).includes(line);
}

function agentOf(value: string, token: string): string {
  if (/^\*(?:\s|$)/.test(value)) return ANYONE;
  // A name ends at the first character that it cannot have, as in `Bot/2.1` and `Bot Images`.
  const [name = ''] = /^[a-z_-]*/i.exec(value) ?? [];
  return name.toLowerCase() === token.toLowerCase() ? OURS : OTHERS;
}

const WISHES = ['crawl-delay', 'content-usage', 'content-signal'];

/** Of the crawler's own groups, or else of the groups for any crawler. */
export function robotsWishes(text: string, token: string): RobotsWishes {
  const wishes: Record<string, RobotsLine[]> = {};
  let [agents, isOpen] = [[ANYONE] as string[], true];
  for (const { name, value } of linesIn(text)) {
    if (name === 'user-agent') agents = isOpen ? [...agents, agentOf(value, token)] : [agentOf(value, token)];
    isOpen = name === 'user-agent';
    // A group of its own counts even if it wishes nothing.
    for (const agent of new Set(agents)) (wishes[agent] ??= []).push({ name, value });
  }
  const lines = wishes[OURS] ?? wishes[ANYONE] ?? [];
  const valuesOf = (names: readonly string[]) =>
    lines.filter(({ name, value }) => names.includes(name) && value !== '').map(({ value }) => value);
  const crawlDelay = valuesOf(['crawl-delay'])
    .map(Number)
    .find((seconds) => seconds > 0);
  const contentUsage = valuesOf(WISHES.slice(1)).join('\n');
  return { ...(crawlDelay && { crawlDelay }), ...(contentUsage && { contentUsage }) };
}

/** What is not percent-encoded matches no rule, because rules are compared in that form. */
function encodedPath(url: string): string {
  const path = url.replace(/^[a-z]+:\/\/[^/?#]*/i, '').replace(/[^\x21-\x7e]+/g, '%00');
  return path.startsWith('/') ? path : `/${path}`;
}

const NAMES = ['user-agent', 'allow', 'disallow', 'sitemap'];

type RobotsLine = { name: string; value: string };

/** As Google's reader cuts lines: eight times the longest URL of Internet Explorer. */
const MAX_LINE = 2_083 * 8 - 1;

/**
 * The lines of a robots.txt that mean something, with the liberties that Google's reader takes: a colon may
 * be missing, and lines of other names do not end a group.
 */
const robotsLines = (text: string) => linesIn(text).filter(({ name }) => NAMES.includes(name));

function linesIn(text: string): RobotsLine[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .flatMap((line) => lineOf(line.slice(0, MAX_LINE)));
}

function lineOf(line: string): RobotsLine[] {
  const text = (line.split('#', 1)[0] ?? '').trim();
  const colon = text.indexOf(':');
  const [, bare = '', rest = ''] = colon < 0 ? (/^(\S+)\s+(\S+)$/.exec(text) ?? []) : [];
  const [name, value] =
    colon < 0 ? [bare, rest] : [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
  const known = name.toLowerCase();
  return NAMES.includes(known) || WISHES.includes(known) ? [{ name: known, value }] : [];
}
