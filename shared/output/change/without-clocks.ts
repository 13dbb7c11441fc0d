import { ages, namesInDates } from './time-words.ts';

const { raw } = String;

/** The text with the same sign in place of each clock, and of each age such as `3 minutes ago`. */
export function withoutClocks(text: string): string {
  known ??= { names: [...new Set(namesInDates().map((name) => name.toLowerCase()))], ages: agePatterns() };
  const { names, ages: others } = known;
  const near = besideClocks(text);
  const clocks = near === undefined ? [] : clockPatterns(names.filter((name) => near.includes(name)));
  const words = text.toLowerCase();
  const spoken = others.filter(({ before }) => words.includes(before)).map(({ pattern }) => pattern);
  return [...clocks, ...spoken].reduce(withoutMatches, text);
}

/** Where dates of clocks stand: before times, and after `today`. Undefined where no clock is looked for. */
function besideClocks(text: string): string | undefined {
  const times = [...text.matchAll(/\d:\d\d/g)].map(({ index }) => index);
  if (times.length > MAX_CLOCKS) return undefined;
  const days = [...text.matchAll(ANY_TODAY)].map(({ index }) => index + DATE_LENGTH);
  if (times.length + days.length === 0) return undefined;
  const ends = [...times, ...days];
  return ends
    .map((end) => text.slice(Math.max(0, end - DATE_LENGTH), end))
    .join('\n')
    .toLowerCase();
}

/** The longest date, with what stands between it and its time or `today`, is shorter. */
const DATE_LENGTH = 100;

/** More of them are the content of the page. */
const MAX_CLOCKS = 5_000;

type Age = { before: string; pattern: RegExp };
let known: { names: string[]; ages: Age[] } | undefined;

const SIGN = '⌚';

/** Group 1 of a pattern, if it has one, ends where the match begins. */
function withoutMatches(text: string, pattern: RegExp): string {
  let [rest, from] = ['', 0];
  for (const { 0: found, 1: before = '', index } of text.matchAll(pattern)) {
    rest += text.slice(from, index - before.length) + SIGN;
    from = index + found.length;
  }
  return rest + text.slice(from);
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, raw`\$&`).replace(/\s+/g, raw`\s`);

/** The longest first, as the first alternative that matches is taken. */
function anyOf(words: Iterable<string>): string {
  const longestFirst = [...new Set(words)].toSorted((a, b) => b.length - a.length);
  return `(?:${longestFirst.map(escaped).join('|')})`;
}

/**
 * A shop opens at 9:00, but only a clock shows seconds, or says what it is. Names that are not in the text
 * are left out: all of them would take most of a second to compile.
 */
function clockPatterns(names: readonly string[]): RegExp[] {
  const name = names.length === 0 ? NOTHING : anyOf(names);
  const dayFirst = raw`\d{1,2}(?:\.|st|nd|rd|th)?\s(?:de\s)?${name}\.?,?(?:\s(?:de\s)?\d{4})?`;
  const monthFirst = raw`${name}\.?\s{1,2}\d{1,2}(?:st|nd|rd|th)?,?(?:\s\d{4})?`;
  const numbers = raw`\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{4}年\d{1,2}月\d{1,2}日`;
  const date = raw`(?<![\p{L}\d])(?:${name}\.?,?\s)?(?:${dayFirst}|${monthFirst}|${numbers}|${name}\.?)`;
  const between = raw`(?:,?\s(?:(?:at|um|à|a\slas|alle|às|om|kl\.?|[-–—·|])\s)?|T)`;
  const zone = raw`(?:\s?[ap](?:m\b|\.m\.))?(?:\s?(?:Z|${ZONES})\b)?(?:\s?[+-](?:0\d|1[0-4]):?(?:00|30|45)\b)?(?![\d:])`;
  const seconds = raw`\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?`;
  const cue = raw`(?<!\p{L})(?:${CUES})[\s:*_()|-]{0,8}(?:(?:at|on|um|am|à|le|el|a\slas|alle|om|kl\.?)\s)?`;
  // Tried at every character, so what is rare comes first.
  const isTime = raw`(?=\d{1,2}:\d{2})(?<![\d.:]|\d,|(?<!\d)\p{L})`;
  return [
    // As C and Unix write it, with the year at the end.
    new RegExp(
      raw`${isTime}(?=.{3,5}:\d)(?<=(${name}\s${name}\s{1,2}\d{1,2}\s))${seconds}(?:\s(?:${ZONES}))?\s\d{4}\b`,
      'giu',
    ),
    new RegExp(raw`${isTime}(?=.{3,5}:\d)(?<=(${date}${between})?)${seconds}${zone}`, 'giu'),
    new RegExp(raw`${isTime}(?<=${cue}(${date}${between})?)\d{1,2}:\d{2}${zone}`, 'giu'),
    new RegExp(raw`(?<=(?<!\p{L})(?:${TODAY})[\s:,]{1,3})${date}`, 'giu'),
  ];
}

const ZONES = 'UTC|GMT|WES?T|CES?T|EES?T|BST|IST|MSK|JST|KST|A[CEW][SD]T|NZ[SD]T|[ECMP][SD]T|MES?Z|Uhr';
const CUES =
  "updated|refreshed|generated|as\\sof|it\\sis(?:\\snow)?|it[’']s|time\\sis|(?:local|server|current)\\stime|aktualisiert|stand|uhrzeit|mis\\sà\\sjour|actualizado|aggiornato|atualizado|bijgewerkt|обновлено|更新";

/** No text matches it. */
const NOTHING = '(?!)';
const TODAY = "today(?:\\sis)?|heute(?:\\sist)?|aujourd[’']hui|hoy(?:\\ses)?|oggi(?:\\sè)?|vandaag";
const ANY_TODAY = new RegExp(TODAY, 'giu');

/** One pattern for all languages in which an age begins with the same word. */
function agePatterns(): Age[] {
  const afters = new Map<string, string[]>();
  for (const [before, after] of ages()) afters.set(before, [...(afters.get(before) ?? []), after]);
  // Languages without spaces have no end of a word.
  const end = raw`(?:(?<=[.\p{sc=Han}\p{sc=Hangul}])|(?![\p{L}\d]))`;
  const inWords = [...afters].map(([before, words]) => {
    const after = anyOf(words.map((word) => word.trimStart()));
    const pattern = new RegExp(raw`(?<![\p{L}\d.,:])${escaped(before)}\d{1,4}\s?${after}${end}`, 'giu');
    return { before, pattern };
  });
  return [
    { before: 'now', pattern: /(?<!\p{L})just now(?!\p{L})/giu },
    { before: 'ago', pattern: ONE_AGO },
    ...inWords,
  ];
}

const ONE_AGO = /(?<!\p{L})(?:an?|a few|one) (?:second|moment|minute|hour|day)s? ago(?!\p{L})/giu;
