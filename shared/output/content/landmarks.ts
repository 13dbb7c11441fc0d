import { Element, isTag } from 'domhandler';
import { find, isInside } from '../../html/tree.ts';
import { unlinked, type Weight, type Weights } from '../../html/visible.ts';
import { isCalled, isNamed, wordSet } from './names.ts';
import type { PageKind } from './page-kind.ts';

/** What is judged: the visible words of every element and of the page, and what the page is. */
export type Judged = { weights: Weights; total: number; kind: PageKind };

const LANDMARKS = wordSet('nav footer aside dialog button menu');
const ROLES = wordSet(
  'navigation banner contentinfo complementary search dialog alertdialog menu menubar toolbar button tooltip',
);
/** Roles of what may hold content that a click shows. */
const FOLDED = wordSet('tablist alert');
const ABOUT_MEMBERS = wordSet(
  'userinfo userdetails postprofile signature signatures authorpane reactions reputation badges rank sig lastedit edited',
);
const MEMBER_PANE =
  /(?:^|[\s_-])(?:user|author|member|poster)[\s_-]*(?:info|details?|extras?|title|banner|stat(?:istic)?s|profile|rank|badges?)(?![a-z])/i;
export const COMMENTS = wordSet(
  'comments comment-list commentlist respond disqus_thread comments-area comments-section post-comments commentsection',
);
const MAIN = wordSet('main body');

export const isMain = ({ name, attribs }: Element) => MAIN.has(name) || attribs.role === 'main';
const isHeading = ({ name }: Element) => /^h[1-6]$/.test(name);
export const isInContent = (element: Element) =>
  isInside(element, ({ name }) => name === 'article' || name === 'main');

const isAboutMember = (element: Element) =>
  isNamed(element, ABOUT_MEMBERS) || MEMBER_PANE.test(element.attribs.class ?? '');

/** Menus, footers and dialogs, by what the page itself calls them. */
export function isLandmark(element: Element, { weights, total, kind }: Judged): boolean {
  const own = unlinked(weights.get(element));
  const { name, attribs } = element;
  if (isDisclosure(element)) return false;
  if (name === 'footer' && total - own > 50 && !isInContent(element)) return true;
  if (own > total * 0.5 || isMain(element)) return false;
  if (kind === 'forum' && own < Math.min(80, total * 0.1) && isAboutMember(element)) return true;
  if (kind !== 'forum' && total - own > 150 && isDiscussion(element)) return true;
  if (attribs['aria-modal'] === 'false' && isPanel(element)) return false;
  if (name === 'aside' && isInContent(element)) return isLinked(weights.get(element));
  if (FOLDED.has(attribs.role ?? '')) return own < 30;
  return LANDMARKS.has(name) || ROLES.has(attribs.role ?? '');
}

/** A button that opens a part of the page is the heading of that part. */
function isDisclosure(element: Element): boolean {
  const { name, attribs, parent } = element;
  if (name !== 'button' && attribs.role !== 'button') return false;
  if ('aria-expanded' in attribs || (parent instanceof Element && isHeading(parent))) return true;
  return find(element, isHeading) !== undefined;
}

/** A dialog that leaves the page usable, below the button that opens it. */
function isPanel({ prev }: Element): boolean {
  let before = prev;
  while (before && !isTag(before)) before = before.prev;
  return before !== null && isDisclosure(before);
}

/** The comments on a page as a whole; the page may be hardly more than they are. */
const isDiscussion = (element: Element) =>
  isCalled(element, COMMENTS) && !isInside(element, (ancestor) => isCalled(ancestor, COMMENTS));

/** Documentation sets its notes in `aside`; in articles an `aside` leads elsewhere. */
export const isLinked = (weight: Weight | undefined) => !weight || weight.linked > weight.words * 0.3;
