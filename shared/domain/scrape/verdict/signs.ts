import type { Page } from '../../../contract/scrape/page.ts';
import { decodeHtml } from '../../../html/decode-html.ts';
import { decoded, pageWords, visibleWords, wordsIn } from './visible-words.ts';

/** The parts of a response that show whether it is a wall. Texts are in lower case. */
export type Signs = {
  status: number;
  /** A header's values, joined; empty if it is absent. */
  header: (name: string) => string;
  host: string;
  path: string;
  title: string;
  /** Visible words, counted only up to the number at which a page is no longer sparse. */
  words: number;
  /** True for HTML with so few words that it is hardly the page itself. */
  isSparse: boolean;
  /** Whether the visible text has a phrase. */
  says: (phrase: string | RegExp) => boolean;
  /** Whether the markup has a mark. In the visible text it would be a quotation. */
  has: (mark: string) => boolean;
  html: string;
  /** A short response that is not HTML: scripts get JSON instead of a page. */
  short: string;
};

/** Walls are small. Larger pages are judged by their headers alone. */
const MAX_BYTES = 300_000;
const MAX_SHORT_BYTES = 5_000;
const FEW_WORDS = 150;
const IS_HTML = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i;
const IS_SHORT = /^\s*(?:application\/json|text\/plain)\b/i;
const TITLE = /<title[^>]{0,200}>([^<]{0,300})/;

/** A page's URL without its query. */
export function placeOf(url: string): Pick<URL, 'host' | 'pathname'> {
  return URL.parse(url) ?? { host: '', pathname: '' };
}

export function signsOf({ status, url, headers = {}, contentType = '', body }: Page): Signs {
  const isRead = body.byteLength <= MAX_BYTES && IS_HTML.test(contentType);
  const html = isRead ? decodeHtml(body, contentType).toLowerCase() : '';
  const isShort = body.byteLength <= MAX_SHORT_BYTES && IS_SHORT.test(contentType);
  // Few pages are sparse, so only those are parsed.
  const isFull = visibleWords(html, FEW_WORDS) > FEW_WORDS;
  let read = isFull ? undefined : pageWords(html);
  const text = () => (read ??= pageWords(html));
  const words = isFull ? FEW_WORDS + 1 : wordsIn(text());
  const { host, pathname: path } = placeOf(url);
  return {
    status,
    header: (name) => [headers[name] ?? []].flat().join(', ').toLowerCase(),
    ...{ host, path, html, words },
    short: isShort ? decodeHtml(body, contentType).toLowerCase() : '',
    title: decoded(TITLE.exec(html)?.[1] ?? '').trim(),
    isSparse: isRead && words <= FEW_WORDS,
    says: (phrase) => (typeof phrase === 'string' ? text().includes(phrase) : phrase.test(text())),
    has: (mark) => html.includes(mark) && !text().includes(mark),
  };
}
