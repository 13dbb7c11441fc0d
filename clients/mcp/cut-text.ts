/** A part of a text that fits into a budget of tokens. */
export type TextPart = {
  text: string;
  totalTokens: number;
  /** Where the next part begins; undefined in the last one. */
  nextOffset: number | undefined;
};

/** Tokenizers take three to four letters of English for a token, and about one of other scripts. */
const ASCII_PER_TOKEN = 3;
const LAST_ASCII = 0x7f;

/** How many tokens a text has, at most. */
export function tokensIn(text: string): number {
  let ascii = 0;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) <= LAST_ASCII) ascii += 1;
  return Math.ceil(ascii / ASCII_PER_TOKEN) + text.length - ascii;
}

/**
 * The part of a Markdown text that begins at `offset`, a UTF-16 index. It ends before a heading, or else a
 * paragraph, a line or a word, if that leaves at least half of the budget. All parts joined are the text.
 */
export function partOfText(text: string, offset: number, maxTokens: number): TextPart {
  const rest = text.slice(offset);
  const most = lengthWithin(rest, maxTokens);
  const totalTokens = tokensIn(text);
  if (most >= rest.length) return { text: rest, totalTokens, nextOffset: undefined };
  const length = endWithin(rest, most);
  return { text: rest.slice(0, length), totalTokens, nextOffset: offset + length };
}

const ENDS = [/\n(?=#{1,6} )/g, /\n\n+/g, /\n/g, /\s+/g];

function endWithin(text: string, most: number): number {
  const head = text.slice(0, most);
  for (const end of ENDS) {
    // A heading behind the budget still ends the part before it.
    const last = [...text.slice(0, most + 2).matchAll(end)].map((match) => match.index + match[0].length);
    const fitting = last.findLast((index) => index <= most);
    if (fitting !== undefined && fitting >= most / 2) return fitting;
  }
  const isSplitPair = /[\uD800-\uDBFF]$/.test(head);
  return isSplitPair && most > 1 ? most - 1 : most;
}

/** The length of the longest beginning that has at most so many tokens. */
function lengthWithin(text: string, maxTokens: number): number {
  let thirds = 0;
  for (let index = 0; index < text.length; index += 1) {
    thirds += text.charCodeAt(index) <= LAST_ASCII ? 1 : ASCII_PER_TOKEN;
    if (thirds > maxTokens * ASCII_PER_TOKEN) return Math.max(index, 1);
  }
  return text.length;
}

const MOST_HEADINGS = 40;

/** The headings of a Markdown text, and where they begin. */
export function outlineOf(text: string): { heading: string; offset: number }[] {
  const headings = [...text.matchAll(/^#{1,6} .*$/gm)];
  return headings.slice(0, MOST_HEADINGS).map(({ 0: heading, index: offset }) => ({ heading, offset }));
}
