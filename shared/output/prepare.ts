import type { Element } from 'domhandler';
import { findAll } from '../html/tree.ts';
import { isConcealed, isHidden, isRead, reveal, unlinked, weigh } from '../html/visible.ts';

const UNSEEN: ReadonlySet<string> = new Set(['script', 'style', 'template']);
/** Of a page's words. With more of them in sight, what is hidden is meant to be. */
const ENOUGH = 0.6;
const MIN_WORDS = 30;

/** Shows what a page keeps for readers without scripts, or would reveal, where that is most of the page. */
export function prepare(body: Element): void {
  for (const element of findAll(body, isShownLater)) reveal(element);
  const isAnywhere = (element: Element) =>
    isRead(element) || (isHidden(element) && !UNSEEN.has(element.name) && !isConcealed(element));
  const all = weigh(body, isAnywhere);
  const visible = weigh(body, (element) => isRead(element) && element.name !== 'noscript').get(body);
  if ((visible?.words ?? 0) > (all.get(body)?.words ?? 0) * ENOUGH) return;
  const least = Math.max(MIN_WORDS, unlinked(visible) * 0.7);
  for (const element of findAll(body, (each) => each.name === 'noscript' || isHidden(each))) {
    if (unlinked(all.get(element)) < least) continue;
    if (element.name === 'noscript') element.name = 'div';
    else reveal(element);
  }
}

/** Panels that a click opens: tabs, accordions, answers to questions. */
const PANEL = /tab-?(?:pane|panel|content)|accordion|collaps|faq|expand/i;

/** Hidden parts of the content: panels, and what React streams in and its script puts into place. */
function isShownLater(element: Element): boolean {
  const { attribs } = element;
  if (!isHidden(element) || attribs.role === 'dialog') return false;
  if (/^S:\w+$/.test(attribs.id ?? '')) return 'hidden' in attribs;
  if (attribs.role === 'tabpanel' || PANEL.test(attribs.class ?? '')) return true;
  return attribs.role === 'region' && 'aria-labelledby' in attribs;
}
