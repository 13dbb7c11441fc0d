// @ts-check
// Scrolls what a person would scroll: the page or, if nothing of it is out of view, the largest element with
// a scrollbar of its own, as applications with a fixed frame have it.

/** @typedef {{ size: 'Height' | 'Width', overflow: 'overflowY' | 'overflowX' }} Axis */
/** @type {Axis} */
const DOWN = { size: 'Height', overflow: 'overflowY' };
/** @type {Axis} */
const RIGHT = { size: 'Width', overflow: 'overflowX' };

/** @param {Axis} axis */
function scrollerOf({ size, overflow }) {
  const page = document.scrollingElement ?? document.documentElement;
  /** @param {Element} element */
  const isLonger = (element) => element[`scroll${size}`] > element[`client${size}`];
  if (isLonger(page)) return page;
  /** @param {Element} element */
  const hasBar = (element) => ['auto', 'scroll'].includes(getComputedStyle(element)[overflow]);
  const [largest = page] = elementsIn(document)
    .filter((element) => isLonger(element) && areaOf(element) > 0 && hasBar(element))
    .sort((a, b) => areaOf(b) - areaOf(a));
  return largest;
}

/**
 * @param {Document | ShadowRoot} root
 * @returns {Element[]}
 */
const elementsIn = (root) =>
  [...root.querySelectorAll('*')].flatMap((element) =>
    element.shadowRoot ? [element, ...elementsIn(element.shadowRoot)] : [element],
  );

/** @param {Element} element */
const areaOf = (element) => element.clientWidth * element.clientHeight;

/** @param {{ left?: number, top?: number }} by */
export function scrollBy(by) {
  scrollerOf(by.left === undefined ? DOWN : RIGHT).scrollBy({ ...by, behavior: 'instant' });
}

/** @param {number} top */
export function scrollTo(top) {
  scrollerOf(DOWN).scrollTo({ top, behavior: 'instant' });
}

export function scrollToEnd() {
  const scroller = scrollerOf(DOWN);
  scroller.scrollTo({ top: scroller.scrollHeight, behavior: 'instant' });
}

export function extent() {
  const { scrollHeight: height, clientHeight: viewport } = scrollerOf(DOWN);
  return { height, viewport };
}

/** Height and number of elements: a list may replace placeholders of the same height. */
export function fingerprint() {
  return [scrollerOf(DOWN).scrollHeight, document.getElementsByTagName('*').length].join();
}
