// @ts-check
// Prepares a page for its picture, from a world that its scripts do not see.

/** Pixels below a bar that still counts as being at the bottom. */
const MARGIN = 40;

/** @typedef {HTMLElement | SVGElement} Styled */
/** @typedef {{ isPictured?: boolean, raiseBars?: () => void }} Shared */
const shared = /** @type {Shared} */ (globalThis);

// A control named "style" hides the style of its form.
const ownStyle = /** @type {(this: HTMLElement) => CSSStyleDeclaration} */ (
  Object.getOwnPropertyDescriptor(HTMLElement.prototype, 'style')?.get
);
/** @param {Element} element */
const styleOf = (element) =>
  element instanceof HTMLElement ? ownStyle.call(element) : /** @type {SVGElement} */ (element).style;

/** Before the page's scripts: hides that Chromium resizes the window to draw what is beyond it. */
export function guardResize() {
  addEventListener('resize', (event) => {
    if (shared.isPictured) event.stopImmediatePropagation();
  });
}

export function ignoreResize() {
  shared.isPictured = true;
}

/** @param {number} top */
export function scrollDown(top) {
  scrollTo({ top, left: 0, behavior: 'instant' });
}

/** Native lazy loading and skipped contents wait for scrolling, which the picture does not need. */
export function showAll() {
  for (const each of document.querySelectorAll('img[loading="lazy" i], iframe[loading="lazy" i]'))
    each.setAttribute('loading', 'eager');
  for (const each of document.querySelectorAll('body *'))
    if (getComputedStyle(each).contentVisibility === 'auto')
      styleOf(each).setProperty('content-visibility', 'visible', 'important');
}

export function isLoading() {
  return (
    document.fonts.status === 'loading' ||
    [...document.querySelectorAll('img')].some((image) => !image.complete && image.loading !== 'lazy')
  );
}

export function extent() {
  const root = document.documentElement;
  const body = /** @type {HTMLElement | null} */ (document.body);
  return {
    width: isCutOff(root, body) ? innerWidth : Math.max(innerWidth, root.scrollWidth),
    height: Math.max(innerHeight, root.scrollHeight, body?.scrollHeight ?? 0),
    viewport: innerHeight,
  };
}

/**
 * The window takes the overflow of the body if the root has none of its own.
 * @type {(root: HTMLElement, body: HTMLElement | null) => boolean}
 */
function isCutOff(root, body) {
  const [own, inner] = [root, body].map((each) => (each ? getComputedStyle(each).overflowX : 'visible'));
  return ['hidden', 'clip'].includes((own === 'visible' ? inner : own) ?? '');
}

/** What has an end gets to it, what has none returns to its start. */
export function stopAnimations() {
  for (const animation of document.getAnimations()) {
    try {
      if (hasEnd(animation)) animation.finish();
      else animation.cancel();
    } catch {
      animation.cancel();
    }
  }
}

/** @param {Animation} animation */
const hasEnd = ({ effect }) => Number.isFinite(Number(effect?.getComputedTiming().endTime));

/**
 * What sticks to the bottom of the window belongs to its place, or to the bottom of the page.
 * @param {number} height
 */
export function lowerBars(height) {
  const all = [...document.querySelectorAll('body *')].map((element) => ({
    element,
    style: getComputedStyle(element),
  }));
  const sticky = all
    .filter(({ style }) => style.position === 'sticky' && style.bottom !== 'auto')
    .map(({ element }) => ({ element, css: styleOf(element).cssText }));
  for (const { element } of sticky) styleOf(element).setProperty('bottom', 'auto', 'important');
  const bars = all
    .filter(({ element, style }) => style.position === 'fixed' && isAtBottom(element))
    .map(({ element }) => ({ element, css: styleOf(element).cssText, box: element.getBoundingClientRect() }));
  for (const { element, box } of bars) lower(element, box, height);
  shared.raiseBars = () =>
    [...sticky, ...bars].forEach(({ element, css }) => (styleOf(element).cssText = css));
}

/** @param {Element} element */
function isAtBottom(element) {
  const { top, bottom } = element.getBoundingClientRect();
  return top > innerHeight / 2 && top < innerHeight && bottom > innerHeight - MARGIN;
}

/** @type {(bar: Element, box: DOMRect, height: number) => void} */
function lower(bar, box, height) {
  /** @type {(name: string, value: string) => void} */
  const set = (name, value) => styleOf(bar).setProperty(name, value, 'important');
  set('transition', 'none');
  set('position', 'absolute');
  set('bottom', 'auto');
  set('right', 'auto');
  set('top', '0');
  set('left', '0');
  set('width', `${box.width}px`);
  set('box-sizing', 'border-box');
  const { top, left } = bar.getBoundingClientRect();
  set('top', `${box.top + height - innerHeight - top}px`);
  set('left', `${box.left - left}px`);
}

export function raiseBars() {
  shared.raiseBars?.();
}
