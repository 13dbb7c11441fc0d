import { isUnspaced, plainSigns } from './page-words.ts';

/** What may stand right after a number; other letters belong to a name, or change the number. */
const UNITS = new Set([
  ...[
    'mg',
    'g',
    'kg',
    't',
    'lb',
    'lbs',
    'oz',
    'mm',
    'cm',
    'm',
    'km',
    'in',
    'ft',
    'yd',
    'mi',
    'ml',
    'cl',
    'l',
  ],
  ...['dl', 'kb', 'mb', 'gb', 'tb', 'kib', 'mib', 'gib', 'w', 'kw', 'kwh', 'wh', 'v', 'a', 'ah', 'mah'],
  ...['hz', 'khz', 'mhz', 'ghz', 'px', 'pt', 'mp', 's', 'ms', 'min', 'h', 'hr', 'hrs', 'd', 'x', 'c', 'f'],
  ...[
    'st',
    'nd',
    'rd',
    'th',
    'er',
    'am',
    'pm',
    'pcs',
    'stk',
    'mph',
    'kmh',
    'db',
    'rpm',
    'bar',
    'nm',
    'μm',
    'μg',
  ],
]);

const CURRENCIES = new Set([
  ...[
    'usd',
    'eur',
    'gbp',
    'chf',
    'jpy',
    'cny',
    'rmb',
    'inr',
    'aud',
    'cad',
    'nzd',
    'sek',
    'nok',
    'dkk',
    'isk',
  ],
  ...[
    'pln',
    'czk',
    'huf',
    'ron',
    'bgn',
    'brl',
    'mxn',
    'ars',
    'clp',
    'cop',
    'zar',
    'sgd',
    'hkd',
    'twd',
    'krw',
  ],
  ...[
    'try',
    'rub',
    'uah',
    'aed',
    'sar',
    'qar',
    'egp',
    'ngn',
    'kes',
    'thb',
    'idr',
    'myr',
    'php',
    'vnd',
    'ils',
  ],
  ...['rs', 'kr', 'fr', 'sfr', 'rm', 'rp', 'zł', 'kč', 'ft', 'lei', 'tl', 'us', 'r'],
  ...['руб', 'р', 'грн', 'лв'],
]);

/** Digits with separators; a space separates only three digits. */
const CLUSTER = /\d+(?:(?:[.,']| (?=\d{3}(?!\d)))\d+)*/g;
/** Signs such as ² and ½, which stand for numbers of their own beside digits. */
const OTHER_NUMBERS = /\p{No}/gu;
const OTHER_NUMBER = '\uE000';

/** Numbers with separators, by how they are written; several may fit. */
const WRITINGS: readonly { pattern: RegExp; decimal: string }[] = [
  { pattern: /^[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/, decimal: '.' },
  { pattern: /^[1-9]\d?(?:,\d{2})+,\d{3}(?:\.\d+)?$/, decimal: '.' },
  { pattern: /^[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?$/, decimal: ',' },
  { pattern: /^[1-9]\d{0,2}(?:[' ]\d{3})+(?:\.\d+)?$/, decimal: '.' },
  { pattern: /^[1-9]\d{0,2}(?:[' ]\d{3})+,\d+$/, decimal: ',' },
  { pattern: /^(?:0|[1-9]\d*)(?:\.\d+)?$/, decimal: '.' },
  { pattern: /^(?:0|[1-9]\d*),\d+$/, decimal: ',' },
];
const DATE = /^\d{1,2}\.\d{1,2}\.(\d{4})$/;

/** The values of all numbers of a text, in any usual writing, each as a whole. */
export function numbersIn(page: string): Set<number> {
  const text = plainDigits(plainSigns(page).replace(OTHER_NUMBERS, OTHER_NUMBER).normalize('NFKC'));
  const found = new Set<number>();
  for (const { 0: digits, index } of text.matchAll(CLUSTER)) {
    const end = index + digits.length;
    if (!mayFollow(text.slice(end, end + CONTEXT))) continue;
    const before = (index > CONTEXT ? 'x' : '') + text.slice(Math.max(0, index - CONTEXT), index);
    // Digits of a name before a space, as in `A4 100`, are none of the number.
    const cluster = mayPrecede(before) ? digits : digits.split(' ').slice(1).join(' ');
    const sign = NEGATIVE.test(before) ? -1 : 1;
    const values = BARE_FRACTION.test(before) ? [Number(`0.${cluster}`)] : valuesOf(cluster);
    for (const value of values) found.add(sign * value);
  }
  return found;
}

/** Characters around a number that decide whether it is a whole one. */
const CONTEXT = 16;
const NEGATIVE = /(?:^|[\s([{:=|>"'~*])-(?:\p{Sc} ?)?[.,]?$/u;
/** As in `.5`. */
const BARE_FRACTION = /(?:^|[^\p{L}\p{N}.,'])[.,]$/u;
const [LETTERS_BEFORE, LETTERS_AFTER] = [/[\p{L}\p{M}_]+$/u, /^[\p{L}\p{M}_]+/u];
/** As in `1920x1080`. */
const TIMES = /\d ?x$/i;

function mayPrecede(before: string): boolean {
  if (before.endsWith(OTHER_NUMBER)) return false;
  const [name] = LETTERS_BEFORE.exec(before) ?? [];
  if (name === undefined || isUnspaced(name.at(-1) ?? '') || TIMES.test(before)) return true;
  return CURRENCIES.has(name.toLowerCase());
}

function mayFollow(after: string): boolean {
  if (after.startsWith(OTHER_NUMBER)) return false;
  const [name] = LETTERS_AFTER.exec(after) ?? [];
  if (name === undefined || isUnspaced(name.charAt(0))) return true;
  return UNITS.has(name.toLowerCase()) || CURRENCIES.has(name.toLowerCase());
}

function valuesOf(cluster: string): number[] {
  const values = WRITINGS.filter(({ pattern }) => pattern.test(cluster)).map(({ decimal }) => {
    const [whole = '', fraction = '0'] = cluster.split(decimal);
    return Number(`${whole.replace(/\D/g, '')}.${fraction}`);
  });
  if (values.length > 0) return values;
  const [, year] = DATE.exec(cluster) ?? [];
  if (year !== undefined) return [Number(year)];
  return cluster.includes(' ') ? cluster.split(' ').flatMap(valuesOf) : [];
}

const ARABIC = /[\u066B\u066C]/g;

/** Digits of other scripts as 0 to 9. */
function plainDigits(text: string): string {
  return text
    .replace(ARABIC, (sign) => (sign === '\u066B' ? '.' : ','))
    .replace(/(?![0-9])\p{Nd}/gu, (digit) => String(digitOf(digit.codePointAt(0) ?? 0)));
}

/** Unicode has the ten digits of a script in a row. */
function digitOf(point: number): number {
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(point - value - 1))) value += 1;
  return value;
}
