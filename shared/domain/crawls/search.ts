import type { MappedUrl } from '../../contract/crawls/map.ts';

type Searched = Pick<MappedUrl, 'url' | 'title'>;

/** The words of a search, which are compared without regard to case. */
export const wordsOf = (search: string): string[] => search.toLowerCase().split(/\s+/).filter(Boolean);

/** Whether URL or title have every word. */
export function hasWords({ url, title = '' }: Searched, words: readonly string[]): boolean {
  const text = `${readable(url)} ${title.toLowerCase()}`;
  return words.every((word) => text.includes(word));
}

/** The best first: words of their own before parts of words, in titles before URLs; then the shortest URL. */
export function bestFirst<T extends Searched>(found: readonly T[], words: readonly string[]): T[] {
  const scored = found.map((each) => ({ each, score: scoreOf(each, words) }));
  scored.sort((a, b) => b.score - a.score || a.each.url.length - b.each.url.length);
  return scored.map(({ each }) => each);
}

function scoreOf({ url, title = '' }: Searched, words: readonly string[]): number {
  const [inUrl, inTitle] = [partsOf(readable(url)), partsOf(title.toLowerCase())];
  return words.reduce(
    (sum, word) =>
      sum +
      (inTitle.has(word) ? 4 : 0) +
      (inUrl.has(word) ? 2 : 0) +
      Number(title.toLowerCase().includes(word)),
    0,
  );
}

const partsOf = (text: string) => new Set(text.split(/[^\p{L}\p{N}]+/u));

function readable(url: string): string {
  try {
    return decodeURI(url).toLowerCase();
  } catch {
    return url.toLowerCase();
  }
}
