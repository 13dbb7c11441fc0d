import type { Evidence, Question } from '../../../contract/scrape/extraction.ts';
import { pathTo } from './check-values.ts';
import { numbersIn } from './number-index.ts';
import { comparable, openWords } from './page-words.ts';
import type { Values } from './read-answer.ts';

/** Between text and Markdown, so that nothing is found across. */
const GAP = '\n\uE000\n';

/** Whether each value stands in the page: in its text, in its Markdown or, for a URL, where that links it. */
export function evidenceFor(
  values: Values,
  { text, markdown }: Pick<Question, 'text' | 'markdown'>,
): Evidence[] {
  const leaves = [...leavesOf('', values)];
  if (leaves.length === 0) return [];
  const page = `${text}${GAP}${withoutEscapes(markdown)}`;
  const words = once(() => openWords(comparable(page)));
  const numbers = once(() => numbersIn(page));
  const urls = once(() => urlsIn(page));
  const isQuoted = (value: unknown): boolean => {
    if (typeof value === 'number') return isExact(value) && numbers().has(value);
    if (typeof value !== 'string') return false;
    if (!URL_START.test(value)) return words()(value);
    return urls().has(value) || urls().has(URL.parse(value)?.href ?? '');
  };
  return leaves.map(([path, value]) => ({ path, evidence: isQuoted(value) ? 'quoted' : 'not_in_page' }));
}

/** A page may have no numbers or URLs to look for. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function* leavesOf(path: string, value: unknown): Generator<[path: string, value: unknown]> {
  if (Array.isArray(value))
    for (const [index, entry] of value.entries()) yield* leavesOf(pathTo(path, index), entry);
  else if (typeof value === 'object' && value !== null)
    for (const [name, entry] of Object.entries(value)) yield* leavesOf(pathTo(path, name), entry);
  else yield [path, value];
}

/** A larger whole number may be another one, rounded. */
const isExact = (value: number) => !Number.isInteger(value) || Number.isSafeInteger(value);

/** https://spec.commonmark.org/0.31.2/#backslash-escapes */
const withoutEscapes = (markdown: string) =>
  markdown
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/&(amp|lt|gt|quot);/g, (entity, name: string) => ENTITIES[name] ?? entity);

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

const URL_START = /^https?:\/\//i;
const URLS = /https?:\/\/[^\s<>"]+/gi;
/** Signs of a sentence or of Markdown that follow a URL. */
const ENDS = /[).,;:!?*_|'\]~`]+$/;

/** The URLs of a page, with and without what may not be part of them. */
function urlsIn(page: string): Set<string> {
  const urls = new Set<string>();
  for (const [found] of page.matchAll(URLS)) {
    const inner = found.split(/\)[\]\s,;.]|\]\(/)[0] ?? found;
    for (const url of [found, inner, found.replace(ENDS, ''), inner.replace(ENDS, ''), untilOpened(found)]) {
      urls.add(url);
      const { href } = URL.parse(url) ?? {};
      if (href !== undefined) urls.add(href);
    }
  }
  return urls;
}

/** Up to a bracket that closes what opened before the URL. */
function untilOpened(text: string): string {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    else if (text[at] === ')' && --depth < 0) return text.slice(0, at);
  }
  return text;
}
