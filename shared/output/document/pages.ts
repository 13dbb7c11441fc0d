import { NotConvertible } from '../../contract/scrape/not-convertible.ts';
import { type DocumentWanted, pageRanges, USUAL_PAGES } from '../../contract/scrape/document.ts';

/**
 * The numbers of the pages to read, from 1, each once and in order. Throws `NotConvertible` with `pages` if
 * the document has none of them, or more than may be read.
 */
export function choosePages(
  count: number,
  { pages, max_pages: maxPages = USUAL_PAGES }: DocumentWanted,
): number[] {
  const ranges = pages === undefined ? [{ from: 1, to: count }] : pageRanges(pages);
  const numbers = new Set<number>();
  for (const { from, to } of ranges) {
    for (let number = from; number <= Math.min(to, count); number += 1) {
      numbers.add(number);
      if (numbers.size > maxPages) throw new NotConvertible('pages', tooMany(count, maxPages, pages));
    }
  }
  if (numbers.size === 0 && pages !== undefined)
    throw new NotConvertible('pages', `${count} pages, none of them in ${pages}`);
  return [...numbers].toSorted((a, b) => a - b);
}

const tooMany = (count: number, maxPages: number, pages: string | undefined) =>
  pages === undefined
    ? `${count} pages, more than the ${maxPages} that may be read`
    : `${count} pages, and more of them in ${pages} than the ${maxPages} that may be read`;
