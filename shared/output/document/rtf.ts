import type { About } from './html.ts';
import type { Reading } from './reading.ts';
import { RtfPage } from './rtf-page.ts';
import { decodeRtf, type RtfTokens, type Token, tokensOf } from './rtf-tokens.ts';

type Word = Extract<Token, { kind: 'word' }>;

/** What holds until the end of a group. */
type State = {
  /** What its text is: `text` of the page, or of something else. */
  destination: string;
  isBold: boolean;
  isHidden: boolean;
  href?: string | undefined;
  /** How many bytes after a Unicode character are for readers without Unicode. */
  fallback: number;
  charset: string;
};

const ABOUT: ReadonlyMap<string, keyof About> = new Map([
  ['title', 'title'],
  ['author', 'author'],
  ['subject', 'description'],
  ['keywords', 'keywords'],
]);

/** Destinations whose text is no part of the page. */
const SKIPPED: ReadonlySet<string> = new Set(
  [
    'fonttbl colortbl stylesheet listtable listoverridetable rsidtbl generator pict object info revtbl filetbl',
    'header headerl headerr headerf footer footerl footerr footerf ftnsep ftnsepc aftnsep aftnsepc',
    'xmlnstbl themedata colorschememapping datastore latentstyles bkmkstart bkmkend private nonshppict mmathPr',
    'userprops wgrffmtfilter pgdsctbl annotation atnid atnauthor atrfstart atrfend',
  ].flatMap((line) => line.split(' ')),
);

const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ['tab', ' '],
  ['emspace', ' '],
  ['enspace', ' '],
  ['emdash', '\u2014'],
  ['endash', '\u2013'],
  ['lquote', '\u2018'],
  ['rquote', '\u2019'],
  ['ldblquote', '\u201c'],
  ['rdblquote', '\u201d'],
  ['bullet', '\u2022'],
  ['~', '\u00a0'],
  ['_', '-'],
]);

/** Reads a document of the Rich Text Format, version 1.9.1. Notes stand at its end. */
export function readRtf(bytes: Uint8Array): Reading {
  const { tokens, ...charsets } = tokensOf(bytes);
  const reader = new RtfReader(charsets);
  for (const token of tokens) reader.read(token);
  return { html: reader.page.end(), kind: 'text', pages: 1, read: 1 };
}

class RtfReader {
  readonly page = new RtfPage();
  readonly #charsets: Omit<RtfTokens, 'tokens'>;
  readonly #stack: State[] = [];
  #state: State;
  #instruction = '';
  #link: string | undefined;
  /** Bytes that are left to skip. */
  #skip = 0;
  /** The first half of a character beyond 65,535. */
  #half = '';

  constructor(charsets: Omit<RtfTokens, 'tokens'>) {
    this.#charsets = charsets;
    const { charset } = charsets;
    this.#state = { destination: 'text', isBold: false, isHidden: false, fallback: 1, charset };
  }

  read(token: Token): void {
    switch (token.kind) {
      case 'open':
        this.#stack.push({ ...this.#state });
        this.#skip = 0;
        break;
      case 'close':
        this.#close();
        break;
      case 'word':
        this.#word(token);
        break;
      case 'text': {
        const text = decodeRtf(token.bytes.slice(this.#skip), this.#state.charset);
        this.#skip = Math.max(0, this.#skip - token.bytes.length);
        this.#add(text);
      }
    }
  }

  #close(): void {
    const { destination } = this.#state;
    this.#state = this.#stack.pop() ?? this.#state;
    this.#skip = 0;
    if (destination === this.#state.destination) return;
    if (destination === 'text') this.page.endBox();
    if (destination === 'footnote') this.page.endNote();
    if (destination !== 'fldinst') return;
    this.#link = /HYPERLINK\s+(?:\\\w\s+)*"([^"]+)"/.exec(this.#instruction)?.[1];
    this.#instruction = '';
  }

  #add(text: string): void {
    const { destination, isHidden, isBold, href } = this.#state;
    const said = ABOUT.get(destination);
    if (isHidden) return;
    if (destination === 'text') this.page.text({ text, isBold, href });
    else if (destination === 'marker') this.page.marker(text);
    else if (destination === 'footnote') this.page.note({ text, isBold, href });
    else if (destination === 'fldinst') this.#instruction += text;
    else if (said) this.page.say(said, text);
  }

  #word({ word, value, isOptional }: Word): void {
    const state = this.#state;
    const character = CHARACTERS.get(word);
    if (character !== undefined && this.#skip > 0) this.#skip -= 1;
    else if (character !== undefined) this.#add(character);
    else if (word === 'u') this.#unicode(value ?? 0);
    else if (word === 'uc') state.fallback = Math.max(0, value ?? 1);
    else if (word === 'f') state.charset = this.#charsets.fonts.get(value ?? 0) ?? this.#charsets.charset;
    else if (word === 'b') state.isBold = value !== 0;
    else if (word === 'v' || word === 'deleted') state.isHidden = value !== 0;
    else if (word === 'plain') [state.isBold, state.isHidden] = [false, false];
    else if (word === 'field') this.#link = undefined;
    else if (word === 'fldrslt') state.href = this.#link;
    else if (word === 'shptxt') this.#box();
    else state.destination = destinationOf(word, isOptional === true, state.destination);
    if (state.destination === 'text') this.#layOut(word, value ?? 1);
    else if (state.destination === 'footnote' && word === 'par') this.page.note('break');
  }

  #unicode(value: number): void {
    const unit = String.fromCharCode(value < 0 ? value + 65_536 : value);
    const isFirstHalf = /[\ud800-\udbff]/.test(unit);
    if (!isFirstHalf) this.#add(this.#half + unit);
    this.#half = isFirstHalf ? unit : '';
    this.#skip = this.#state.fallback;
  }

  /** The text of a shape stands before its paragraph. */
  #box(): void {
    if (this.#state.destination !== 'shape' || !this.page.beginBox()) return;
    this.#state.destination = 'text';
  }

  #layOut(word: string, value: number): void {
    if (word === 'par' || word === 'sect' || word === 'page') this.page.paragraph();
    else if (word === 'line') this.page.lineBreak();
    else if (word === 'pard') this.page.plain();
    else if (word === 'cell' || word === 'nestcell') this.page.cell();
    else if (word === 'row' || word === 'nestrow') this.page.row();
    else if (word === 's') this.page.set('outlinelevel', (this.#charsets.headings.get(value) ?? NaN) - 1);
    else this.page.set(word, value);
  }
}

/** What the text of a group is from a word on. */
function destinationOf(word: string, isOptional: boolean, current: string): string {
  if (word === 'pntext' || word === 'listtext') return current === 'text' ? 'marker' : current;
  if (word === 'fldinst') return current === 'text' || current === 'footnote' ? word : current;
  if (word === 'footnote') return current === 'text' ? word : current;
  if (word === 'shpinst') return current === 'text' ? 'shape' : current;
  if (ABOUT.has(word) && current === 'info') return word;
  return SKIPPED.has(word) || isOptional ? (word === 'info' ? word : 'skipped') : current;
}
