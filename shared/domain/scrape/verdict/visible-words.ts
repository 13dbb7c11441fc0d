import type { ParentNode } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { NotConvertible } from '../../../contract/scrape/not-convertible.ts';
import { parseHtml } from '../../../html/parse-html.ts';
import { isConcealed } from '../../../html/visible.ts';

const UNSEEN: readonly string[] = ['script', 'style', 'noscript', 'template', 'svg', 'head'];
const NAME = /[a-z0-9]*/y;

/** The text of HTML in lower case, without what is never shown. */
export function pageWords(html: string): string {
  try {
    return normalised(textBelow(parseHtml(html)).join(' ')).trim();
  } catch (error) {
    if (error instanceof NotConvertible) return decoded([...textsOf(html)].join(' ')).trim();
    throw error;
  }
}

/** The words of a text that `visibleText` returned. */
export const wordsIn = (text: string): number => (text === '' ? 0 : text.split(' ').length);

function textBelow(node: ParentNode): string[] {
  return node.children.flatMap((child) => {
    if (isText(child)) return [child.data];
    return isTag(child) && !UNSEEN.includes(child.name) && !isConcealed(child) ? textBelow(child) : [];
  });
}

/** Roughly the visible words of HTML in lower case, counted up to `most`. Takes linear time. */
export function visibleWords(html: string, most: number): number {
  let words = 0;
  for (const part of textsOf(html)) {
    const text = decoded(part).trim();
    if (text !== '') words += text.split(' ').length;
    if (words > most) break;
  }
  return words;
}

/** What is between two tags each, but for white space alone. */
function* textsOf(html: string): Generator<string> {
  for (let at = 0; at >= 0 && at < html.length;) {
    const tag = html.indexOf('<', at);
    const text = html.slice(at, tag < 0 ? undefined : tag);
    if (text.trim() !== '') yield text;
    at = tag < 0 ? -1 : endOf(html, tag);
  }
}

/** Text with normalised character references, typographic quotes and white space. */
export function decoded(text: string): string {
  const references = text
    .replace(/&#(?:x([0-9a-f]{1,6})|(\d{1,7}));/g, (_, hex?: string, decimal?: string) =>
      charOf(hex, decimal),
    )
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&amp;', '&');
  return normalised(references);
}

const normalised = (text: string) => text.replace(/[‘’]/g, "'").replace(/\s+/g, ' ');

function charOf(hex: string | undefined, decimal: string | undefined): string {
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : ' ';
}

/** Where a tag ends, with the whole element if it is never shown. Negative if it has no end. */
function endOf(html: string, tag: number): number {
  if (html.startsWith('<!--', tag)) return after(html, '-->', tag + 4);
  NAME.lastIndex = tag + 1;
  const name = NAME.exec(html)?.[0] ?? '';
  const start = UNSEEN.includes(name) ? html.indexOf(`</${name}`, tag) : tag;
  return start < 0 ? -1 : after(html, '>', start);
}

function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found < 0 ? -1 : found + mark.length;
}
