import { textIn } from '../../html/charsets.ts';
import { NotConvertible } from '../../contract/scrape/not-convertible.ts';

export type Token =
  | { kind: 'open' }
  | { kind: 'close' }
  /** `isOptional`: readers that do not know it skip its group. */
  | { kind: 'word'; word: string; value?: number; isOptional?: boolean }
  | { kind: 'text'; bytes: number[] };

/** Charsets of fonts by their numbers; the others are the document's. */
const CHARSETS: Readonly<Record<number, string>> = {
  128: 'shift_jis',
  129: 'euc-kr',
  134: 'gbk',
  136: 'big5',
  161: 'windows-1253',
  162: 'windows-1254',
  163: 'windows-1258',
  177: 'windows-1255',
  178: 'windows-1256',
  186: 'windows-1257',
  204: 'windows-1251',
  222: 'windows-874',
  238: 'windows-1250',
};

const PAGES: Readonly<Record<number, string>> = {
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  65_001: 'utf-8',
  10_000: 'macintosh',
  866: 'ibm866',
};
const WESTERN = 'windows-1252';
const charsetOfPage = (page: number) =>
  PAGES[page] ?? (page === 874 || (page >= 1_250 && page <= 1_258) ? `windows-${page}` : WESTERN);

const MAX_TOKENS = 5_000_000;
const MAX_DEPTH = 2_000;

export type RtfTokens = {
  tokens: Token[];
  fonts: Map<number, string>;
  charset: string;
  /** The levels of headings by the numbers of their styles. */
  headings: ReadonlyMap<number, number>;
};

/** The tokens of a file, without binary data, and the charsets of its fonts. */
export function tokensOf(bytes: Uint8Array): RtfTokens {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const tokens: Token[] = [];
  const pattern = /[{}]|\\'([0-9a-fA-F]{2})|\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\([^a-zA-Z])|[^\\{}]+/g;
  let [depth, isOptional] = [0, false];
  for (let match = pattern.exec(source); match; match = pattern.exec(source)) {
    const [all, hex, word, digits, symbol] = match;
    if (tokens.length > MAX_TOKENS) throw new NotConvertible('memory');
    if (all === '{') {
      if ((depth += 1) > MAX_DEPTH) throw new NotConvertible('depth');
      tokens.push({ kind: 'open' });
    } else if (all === '}') {
      depth -= 1;
      tokens.push({ kind: 'close' });
    } else if (hex !== undefined) addText(tokens, [Number.parseInt(hex, 16)]);
    else if (word === 'bin') pattern.lastIndex += Math.max(0, Number(digits ?? 0));
    else if (word !== undefined) {
      tokens.push({ kind: 'word', word, ...(digits !== undefined && { value: Number(digits) }), isOptional });
      isOptional = false;
    } else if (symbol === '*') isOptional = true;
    else if (symbol !== undefined) tokens.push(...symbolOf(symbol));
    else addText(tokens, [...Buffer.from(all.replaceAll(/[\r\n]/g, ''), 'latin1')]);
  }
  return { tokens, ...charsetsIn(tokens), headings: headingsIn(source) };
}

function addText(tokens: Token[], bytes: number[]): void {
  const last = tokens.at(-1);
  if (last?.kind === 'text') for (const byte of bytes) last.bytes.push(byte);
  else if (bytes.length > 0) tokens.push({ kind: 'text', bytes });
}

function symbolOf(symbol: string): Token[] {
  if (symbol === '\n' || symbol === '\r') return [{ kind: 'word', word: 'par' }];
  if (symbol === '~' || symbol === '_') return [{ kind: 'word', word: symbol }];
  return '\\{}'.includes(symbol) ? [{ kind: 'text', bytes: [symbol.charCodeAt(0)] }] : [];
}

function charsetsIn(tokens: readonly Token[]): Pick<RtfTokens, 'fonts' | 'charset'> {
  const fonts = new Map<number, string>();
  let charset = WESTERN;
  let font = 0;
  for (const token of tokens) {
    if (token.kind !== 'word' || token.value === undefined) continue;
    if (token.word === 'ansicpg') charset = charsetOfPage(token.value);
    else if (token.word === 'f') font = token.value;
    else if (token.word === 'fcharset') fonts.set(font, CHARSETS[token.value] ?? charset);
  }
  return { fonts, charset };
}

/** Styles are named in English, whatever the language of their program. */
function headingsIn(source: string): Map<number, number> {
  const from = source.indexOf('{\\stylesheet');
  const styles = from === -1 ? '' : source.slice(from, from + MAX_STYLES);
  const named = styles.matchAll(/\{\\s(\d{1,5})(?:\\[^{}]*?)?\s(?:heading ([1-6])|(title));\}/gi);
  return new Map([...named].map(([, style, level]) => [Number(style), Number(level ?? 1)]));
}

const MAX_STYLES = 500_000;

export const decodeRtf = (bytes: readonly number[], charset: string): string =>
  textIn(Uint8Array.from(bytes), charset);
