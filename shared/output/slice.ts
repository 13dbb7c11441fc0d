import type { Slice, SliceRange } from '../contract/scrape/slice.ts';
import { fenceAfter, type Fence, HEAD_CHARS } from './markdown/fence.ts';

type Options = SliceRange & {
  /** In Markdown a fenced block of code is one block, whatever lines it has. */
  isMarkdown: boolean;
};

const PIECE_BYTES = 65_536;

/**
 * A part of a text in UTF-8, counted in code points. It ends at the last end of a block within `maxChars`; of
 * a longer block at the end of a line, outside of a fence if possible, else of a sentence, else of a word.
 * All parts in order are the whole. Only a part at or beyond the end is empty.
 */
export function sliceOf(text: Uint8Array, options: Options): Slice {
  const reader = sliceReader(options);
  for (let start = 0; start < text.byteLength; start += PIECE_BYTES)
    reader.read(text.subarray(start, start + PIECE_BYTES));
  return reader.end();
}

/** The same of a text that arrives in pieces. It keeps no more of it than the part. */
export function sliceReader({ offset, maxChars, isMarkdown }: Options) {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const pieces: string[] = [];
  let total = 0;
  /** At the offset: the block of code it is in, and the beginning of its line. */
  let [fence, head]: [Fence, string] = [undefined, ''];

  function pass(text: string): void {
    const [first = '', ...lines] = text.split('\n');
    head += first.slice(0, HEAD_CHARS - head.length);
    for (const line of lines) {
      if (isMarkdown) fence = fenceAfter(fence, head);
      head = line.slice(0, HEAD_CHARS);
    }
  }

  function add(text: string): void {
    const from = indexOf(text, offset - total);
    pass(text.slice(0, from));
    // One character beyond the limit, to see whether the part ends at the end of a line.
    const end = indexOf(text, offset + maxChars + 1 - total);
    if (end > from) pieces.push(text.slice(from, end));
    total += lengthOf(text);
  }

  return {
    read: (bytes: Uint8Array): void => add(decoder.decode(bytes, { stream: true })),

    end: (): Slice => {
      add(decoder.decode());
      const text = pieces.join('');
      const limit = indexOf(text, maxChars);
      if (limit === text.length) return { text, totalChars: total };
      const end = endOf(text, limit, { fence, head, isMarkdown });
      const part = text.slice(0, end);
      return { text: part, totalChars: total, nextOffset: offset + lengthOf(part) };
    },
  };
}

function lengthOf(text: string): number {
  let pairs = 0;
  for (let index = 0; index < text.length; index += 1) pairs += Number(isHighSurrogate(text, index));
  return text.length - pairs;
}

const isHighSurrogate = (text: string, index: number) => (text.charCodeAt(index) & 0xfc_00) === 0xd8_00;

/** Where so many code points end. */
function indexOf(text: string, codePoints: number): number {
  // Each has one or two units.
  if (codePoints >= text.length) return text.length;
  let index = 0;
  for (let left = codePoints; left > 0 && index < text.length; left -= 1)
    index += isHighSurrogate(text, index) ? 2 : 1;
  return index;
}

type Before = { fence: Fence; head: string; isMarkdown: boolean };

/** Where a part of a longer text ends. An end that leaves nothing but blanks in it does not count. */
function endOf(text: string, limit: number, before: Before): number {
  const blanks = text.search(/\S/);
  const hasWords = (end: number) => end > Math.max(0, blanks);
  const { block, line, codeLine } = linesWithin(text, limit, before);
  const ofLine = [block, line, codeLine].find(hasWords);
  if (ofLine !== undefined) return ofLine;
  return [sentenceEnd, wordEnd, characterEnd].map((find) => find(text, limit)).find(hasWords) ?? limit;
}

/** The last ends up to the limit of a block, of a line and of a line of code; 0 if there is none. */
function linesWithin(text: string, limit: number, { isMarkdown, fence, head }: Before) {
  const last = { block: 0, line: 0, codeLine: 0 };
  let [open, before] = [fence, head];
  for (let start = 0, end = 0; start < limit; start = end + 1) {
    end = text.indexOf('\n', start);
    if (end === -1 || end > limit) break;
    const line = before + text.slice(start, end);
    const isBlank = open === undefined && line.trim() === '';
    if (isMarkdown) open = fenceAfter(open, line.slice(0, HEAD_CHARS));
    before = '';
    // A line that ends at the limit leaves its line feed to the next part.
    if (isBlank && end < limit) last.block = end + 1;
    last[open === undefined ? 'line' : 'codeLine'] = Math.min(end + 1, limit);
  }
  return last;
}

/** With the marks that close it; some languages have no space after it. */
const SENTENCE = /[.!?…؟۔।]["'”’»)\]*_]{0,9}\s|[。！？｡]["'”’」』）】]{0,9}/g;

function sentenceEnd(text: string, limit: number): number {
  let end = 0;
  for (const { index, 0: sentence } of text.matchAll(SENTENCE))
    if (index + sentence.trimEnd().length <= limit) end = Math.min(index + sentence.length, limit);
  return end;
}

function wordEnd(text: string, limit: number): number {
  if (/\s/.test(text.charAt(limit))) return limit;
  let end = limit;
  while (end > 0 && !/\s/.test(text.charAt(end - 1))) end -= 1;
  return end;
}

/** Longer than what readers see as one character, such as an emoji of several code points. */
const NEAR = 100;

function characterEnd(text: string, limit: number): number {
  const near = Math.max(0, limit - NEAR);
  const start = near > 0 && isHighSurrogate(text, near - 1) ? near - 1 : near;
  const { index = 0 } = new Intl.Segmenter().segment(text.slice(start)).containing(limit - start) ?? {};
  return index > 0 ? start + index : limit;
}
