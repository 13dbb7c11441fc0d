import type { Element } from 'domhandler';
import { rawText } from '../../html/tree.ts';
import { parseXml } from '../../html/parse-xml.ts';
import { all, childOf, childrenOf, firstOf } from './xml.ts';

/** How the number of a cell is shown, where it is no plain number. */
type Format = 'date' | 'time' | 'duration' | 'percent' | { digits: number };

export type Shared = {
  strings: readonly string[];
  /** By the style of a cell. */
  formats: readonly (Format | undefined)[];
  isFrom1904: boolean;
};

/** The texts of a workbook, without readings of ideographs. */
export function sharedStrings(xml: string): string[] {
  return all(parseXml(xml), 'si').map(richText);
}

function richText(element: Element): string {
  const own = childrenOf(element, 't', 'r').flatMap((each) =>
    each.name.endsWith('t') ? [each] : childrenOf(each, 't'),
  );
  return own
    .map(rawText)
    .join('')
    .replaceAll(/_x([0-9A-F]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Formats that every workbook has: ECMA-376, part 1, section 18.8.30. */
function builtIn(id: number): Format | undefined {
  if (id === 9 || id === 10) return 'percent';
  if ((id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)) return 'date';
  if (id === 46) return 'duration';
  return (id >= 18 && id <= 21) || id === 45 || id === 47 ? 'time' : undefined;
}

/** The formats of dates, times, shares and numbers such as `00501`, by the style of a cell. */
export function dateFormats(xml: string): (Format | undefined)[] {
  const styles = parseXml(xml);
  const own = new Map(
    all(styles, 'numFmt').map(({ attribs }) => [attribs.numFmtId, formatOf(attribs.formatCode ?? '')]),
  );
  const cells = firstOf(styles, 'cellXfs');
  return (cells ? childrenOf(cells, 'xf') : []).map(({ attribs: { numFmtId = '0' } }) =>
    own.has(numFmtId) ? own.get(numFmtId) : builtIn(Number(numFmtId)),
  );
}

function formatOf(code: string): Format | undefined {
  if (/^0{2,20}$/.test(code)) return { digits: code.length };
  if (/\[(?:h+|m+|s+)\]/i.test(code)) return 'duration';
  const bare = code.replaceAll(/"[^"]*"|\\.|\[[^\]]*\]|_./g, '').toLowerCase();
  if (/[yd]|mmm/.test(bare)) return 'date';
  if (/[hs]/.test(bare)) return 'time';
  return bare.includes('%') ? 'percent' : undefined;
}

/** What a cell shows. */
export function shownValue(cell: Element, { strings, formats, isFrom1904 }: Shared): string {
  const { t: type = 'n', s: style } = cell.attribs;
  const value = childOf(cell, 'v');
  const text = value ? rawText(value) : '';
  switch (type) {
    case 's':
      return strings[Number(text)] ?? '';
    case 'inlineStr': {
      const inline = childOf(cell, 'is');
      return inline ? richText(inline) : '';
    }
    case 'b':
      return text === '1' ? 'TRUE' : 'FALSE';
    case 'n':
      return text === '' ? '' : (numberText(Number(text), formats[Number(style)], isFrom1904) ?? text);
    default:
      return text;
  }
}

/** Excel shows fifteen digits. */
const DIGITS = 15;
const DAY_SECONDS = 86_400;
const DAY_MS = DAY_SECONDS * 1_000;
/** Day 0 of the two calendars; the first has a 29th of February 1900, so days before that are one later. */
const [EPOCH_1900, EPOCH_1904] = [Date.UTC(1899, 11, 30), Date.UTC(1904, 0, 1)];
const FIRST_OF_MARCH = 61;
/** To the end of the year 9999. */
const MAX_DAYS = 2_958_466;

function numberText(value: number, format: Format | undefined, isFrom1904: boolean): string | undefined {
  if (!Number.isFinite(value)) return undefined;
  if (format === 'percent') return `${Number((value * 100).toPrecision(DIGITS))}%`;
  if (typeof format === 'object' && value >= 0 && Number.isSafeInteger(value))
    return String(value).padStart(format.digits, '0');
  if (format === undefined || typeof format === 'object' || value < 0 || value >= MAX_DAYS)
    return String(Number(value.toPrecision(DIGITS)));
  if (format === 'duration') return durationOf(Math.round(value * DAY_SECONDS));
  const epoch = isFrom1904 ? EPOCH_1904 : EPOCH_1900 + (value < FIRST_OF_MARCH ? DAY_MS : 0);
  const at = new Date(epoch + Math.round(value * DAY_SECONDS) * 1_000);
  const [day = '', time = ''] = at.toISOString().slice(0, 19).split('T');
  if (format === 'time' && value * DAY_MS < DAY_MS) return time;
  return value % 1 === 0 ? day : `${day} ${time}`;
}

/** `36:05:00` */
function durationOf(seconds: number): string {
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}
