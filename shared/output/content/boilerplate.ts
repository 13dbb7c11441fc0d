import { Element, isTag, isText } from 'domhandler';
import { elementsOf, find, findAll, firstHeading, rawText } from '../../html/tree.ts';
import { countWords, unlinked, type Weights } from '../../html/visible.ts';
import { COMMENTS, isInContent, isLandmark, isLinked, isMain, type Judged } from './landmarks.ts';
import { isCalled, isNamed, wordSet } from './names.ts';

const CHROME = wordSet(`
  nav navbar navigation topnav subnav menu menus menubar submenu megamenu sidebar sidenav breadcrumb breadcrumbs crumbs
  footer footnav masthead cookie cookies consent gdpr advert advertisement ads adsense sponsor sponsored newsletter
  subscribe subscription signup signin login share sharing shares sharebar addthis social socials related recommended
  recommendations recommendation trending popular modal popup popover lightbox overlay pagination pager paginator skip
  skiplink drawer flyout minicart cart upsell crosssell offcanvas dropdown tooltip toolbar copyright disclaimer disqus
  backdrop toast snackbar filter filters facet facets facetwrapper refine refinement refinements wishlist quickview
  swatch swatches reviews ratings similar noprint printonly feedback testimonials`);
const FOR_SCREEN_READERS =
  /(?<!not-)(?<![a-z])(?:sr-(?:only|text)|visually-?hidden|screen-?reader|offscreen)(?![a-z])/i;
/** How a site is paid, as it says above its reviews. */
const DISCLOSURE =
  /(?<![a-z])(?:ads?|advertis(?:er|ing|ement)s?|affiliate|sponsorship|commission)[\s_-]*disclosures?(?![a-z])/i;
const BANNERS = wordSet('banner banners cta');
/** Headings of what follows the content. */
const AFTERWARDS =
  /^(?:related|similar|latest|more (?:from|in|like|stories|articles|posts)|recommended|you (?:may|might) (?:also )?(?:like|enjoy|be interested)|you.ll also|popular|trending|recent(?:ly)? |read next|up next|keep reading|customers (?:also|who)|people also|frequently bought|also (?:like|bought|viewed)|sign up|join (?:our|the)|newsletter|subscribe|stay (?:in touch|up|connected)|what (?:our|people|customers)|seller feedback|this is what customers|share this|comments|leave a (?:reply|comment)|about the author|(?:customer|user|product) reviews|keep exploring|(?:more to|explore|discover|see) more|more to explore|complete the (?:set|look)|reviews|ratings|get in touch|contact us|follow us|ready to|get started|still have questions|the latest)/i;

const INLINE = wordSet('a abbr b code em i mark span strong');
const BLOCKS = wordSet('section div ul aside');
const CONTENT = wordSet('h1 main article');

/** Several parts that a click opens and that say something themselves, as a list of other pages does not. */
export function holdsPanels(element: Element, weights: Weights): boolean {
  if (isLinked(weights.get(element))) return false;
  return findAll(element, ({ name, attribs }) => name === 'summary' || 'aria-expanded' in attribs).length > 1;
}

/** Landmarks, and elements whose name, position or headings show that they are not content. */
export function isBoilerplate(element: Element, judged: Judged): boolean {
  const { weights, total, kind } = judged;
  const own = unlinked(weights.get(element));
  const { name, attribs } = element;
  if (isMain(element)) return false;
  if (kind !== 'forum' && isCalled(element, COMMENTS) && total - own > 150) return true;
  if (isLandmark(element, judged)) return true;
  if (own > total * 0.5) return false;
  if (name === 'label' || name === 'legend' || isForScreenReaders(element)) return true;
  if (attribs['aria-hidden'] === 'true' && own < 15 && !isReadOut(element)) return true;
  if (name === 'header') return !isInContent(element) && !(own < 100 && has(element, 'h1'));
  if (isSkipLink(element) || isPaymentNotice(element)) return true;
  if (own < Math.min(40, total * 0.1) && isNamed(element, BANNERS) && !holdsContent(element)) return true;
  if (
    own < total * 0.25 &&
    isAfterwards(element) &&
    !holdsPanels(element, weights) &&
    !holdProse([element], weights)
  )
    return true;
  if (own > total * 0.45 || !isNamed(element, CHROME) || isInSentence(element)) return false;
  return !holdsContent(element);
}

/** Sentences that are content under any heading and in an element of any name. */
const SENTENCES = 3;
/** Share of words in links; the cards of other pages have more. */
const MAX_LINKED = 0.05;
const SENTENCE = /\S{2}[.!?](?=\s|$)|[。！？]/g;
const FORM = wordSet('form button input select');

/** Three sentences in paragraphs that are no links, beside which no form stands. */
function holdProse(elements: readonly Element[], weights: Weights): boolean {
  const read = elements.filter((element) => weights.has(element));
  const [words, linked] = read.reduce(
    ([all, some], element) => [
      all + (weights.get(element)?.words ?? 0),
      some + (weights.get(element)?.linked ?? 0),
    ],
    [0, 0],
  );
  if (linked > words * MAX_LINKED) return false;
  const isForm = ({ name }: Element) => FORM.has(name);
  if (read.some((element) => isForm(element) || find(element, isForm))) return false;
  const isParagraph = (each: Element) => each.name === 'p' && !isLinked(weights.get(each));
  const paragraphs = read.flatMap((element) =>
    isParagraph(element) ? [element] : findAll(element, isParagraph),
  );
  const sentences = paragraphs.flatMap((paragraph) => rawText(paragraph).match(SENTENCE) ?? []);
  return sentences.length >= SENTENCES;
}

/** The level of a heading after which a page has no more content of its own. */
export function endingLevel(element: Element, weights: Weights): number | undefined {
  const level = levelOf(element);
  if (level === undefined || level === 1 || !AFTERWARDS.test(rawText(element).trim())) return undefined;
  return holdProse(below(element, level), weights) ? undefined : level;
}

const levelOf = ({ name }: Element): number | undefined => {
  const [, level] = /^h([1-6])$/.exec(name) ?? [];
  return level === undefined ? undefined : Number(level);
};

/** What stands beside a heading until the next one as high. */
function below(heading: Element, level: number): Element[] {
  const elements: Element[] = [];
  for (let next = heading.next; next; next = next.next) {
    if (!isTag(next)) continue;
    if ((levelOf(next) ?? Infinity) <= level) break;
    elements.push(next);
  }
  return elements;
}

const holdsContent = (element: Element) => find(element, ({ name }) => CONTENT.has(name)) !== undefined;
const has = (element: Element, tag: string) => find(element, ({ name }) => name === tag) !== undefined;

function isAfterwards(element: Element): boolean {
  if (!BLOCKS.has(element.name)) return false;
  const heading = firstHeading(element);
  return heading !== undefined && AFTERWARDS.test(heading);
}

const isForScreenReaders = ({ attribs }: Element) => FOR_SCREEN_READERS.test(attribs.class ?? '');

const readOut = new WeakMap<Element, boolean>();

/** What a label or a text beside it says to screen readers is hidden from them, but shown. */
function isReadOut({ parent }: Element): boolean {
  if (!(parent instanceof Element)) return false;
  const known = readOut.get(parent);
  if (known !== undefined) return known;
  const isSaid = parent.attribs['aria-label'] !== undefined || elementsOf(parent).some(isForScreenReaders);
  readOut.set(parent, isSaid);
  return isSaid;
}

const isSkipLink = (element: Element) =>
  element.name === 'a' &&
  element.attribs.href?.startsWith('#') === true &&
  /^skip\b/i.test(rawText(element).trim());

/** Ids are often the text of a heading. */
const isPaymentNotice = ({ attribs }: Element) =>
  DISCLOSURE.test((attribs.class ?? '').replace(/([a-z])([A-Z])/g, '$1-$2'));

/** A term with a tooltip stands between words that belong to it. */
function isInSentence({ name, parent }: Element): boolean {
  if (!INLINE.has(name) || !parent) return false;
  return parent.children.some((child) => isText(child) && countWords(child.data) > 2);
}
