import { Document, type Element } from 'domhandler';
import { isInside } from '../../html/tree.ts';
import { isRead, reveal, weigh } from '../../html/visible.ts';
import { cssOver } from '../select/css.ts';
import { pageIndex } from '../select/page-index.ts';
import { type Content, coverageOf } from './main-content.ts';

/** The elements of a page that match one of these selectors, in page order. */
export function selected(body: Element, selectors: readonly string[]): Element[] {
  const document = selectors.length > 0 && documentOf(body);
  if (!document) return [];
  return cssOver(() => pageIndex(document))(selectors.join(), document, true);
}

/** The content that a caller chose, whole: also what the page hides, and a match inside a match once. */
export function selectedContent(body: Element, selectors: readonly string[]): Content {
  const found = selected(body, selectors);
  const all = new Set(found);
  const roots = found.filter((element) => !isInside(element, (around) => all.has(around)));
  roots.forEach(reveal);
  const wordsIn = (element: Element) => weigh(element, isRead).get(element)?.words ?? 0;
  const words = roots.reduce((sum, root) => sum + wordsIn(root), 0);
  return { roots, dropped: new Set(), scope: 'selected', coverage: coverageOf(words, wordsIn(body)) };
}

function documentOf(body: Element): Document | undefined {
  let at = body.parent;
  while (at && !(at instanceof Document)) at = at.parent;
  return at ?? undefined;
}
