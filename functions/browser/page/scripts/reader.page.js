// @ts-check
import { evidence } from './evidence.page.js';
// Observes a document from a world that its scripts neither see nor change.

const EVERYTHING = { subtree: true, childList: true, attributes: true, characterData: true };
const ACTIVE =
  'script:not([type="application/ld+json" i]), iframe, frame, object, embed, meta[http-equiv="refresh" i]';
const HANDLERS = "boolean(//@*[starts-with(local-name(), 'on')])";
/** No event reports a shadow root attached to an existing element. */
const LOOK_MS = 100;

let hasRemoved = false;
let hasReplaced = false;
let hasChanged = false;
let isRotating = false;
let changes = 0;
let moves = 0;
let idle = 0;
let isWatchingPaints = false;
let isMeasuring = false;
const observer = new MutationObserver((records) => {
  hasRemoved ||= records.some(({ removedNodes }) => removedNodes.length > 0);
  hasReplaced ||= records.some(({ removedNodes }) => [...removedNodes].some(isContent));
  for (const record of records) if (replacesWords(record)) isRotating ||= hasRotated(record.target);
  const changed = records.filter(({ type }) => type !== 'attributes').length;
  changes += changed;
  moves += records.length - changed;
  hasChanged ||= document.readyState === 'complete' && changed > 0;
});

/** @param {Node} node */
const isContent = ({ nodeName, textContent }) =>
  !/^(script|style|link)$/i.test(nodeName) && textContent?.trim() !== '';

/** Words that come and go in one place, as tips do while a page waits. Digits are a clock's. */
const WORDS = /\p{L}{2,}\W+\p{L}{2,}/u;
/** @type {WeakMap<Node, number>} */
const rotations = new WeakMap();

/** @param {MutationRecord} record */
const replacesWords = ({ type, target, addedNodes, removedNodes }) =>
  type === 'characterData'
    ? WORDS.test(target.textContent ?? '')
    : [addedNodes, removedNodes].every((nodes) =>
        [...nodes].some(({ textContent }) => WORDS.test(textContent ?? '')),
      );

/** @param {Node} place */
function hasRotated(place) {
  const times = (rotations.get(place) ?? 0) + 1;
  rotations.set(place, times);
  return times > 1;
}

/** @typedef {Document | Element | ShadowRoot} Place */

// A form's input named shadowRoot hides the property.
const shadowRootOf = /** @type {(this: Element) => ShadowRoot | null} */ (
  Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot')?.get
);
/** @type {Set<ShadowRoot>} */
const shadowRoots = new Set();

/** @param {{ requested: string, over: string, watched: string, measured: string }} events */
export function observe(events) {
  observer.observe(document, EVERYTHING);
  addEventListener(events.requested, () => (idle += 1));
  addEventListener(events.over, () => (idle -= 1));
  addEventListener(events.watched, () => (isWatchingPaints = true));
  addEventListener(events.measured, () => (isMeasuring = true));
}

/**
 * No event reports a new open shadow root, so each is found by search and then observed.
 * @param {Place} [within]
 */
function findShadowRoots(within = document) {
  const before = shadowRoots.size;
  for (const element of within.querySelectorAll('*')) {
    const shadowRoot = shadowRootOf.call(element);
    if (!shadowRoot) continue;
    if (!shadowRoots.has(shadowRoot)) observer.observe(shadowRoot, EVERYTHING);
    shadowRoots.add(shadowRoot);
    findShadowRoots(shadowRoot);
  }
  return shadowRoots.size > before;
}

/** A removed node may be a script that removed itself. */
export function isStatic() {
  return (
    !hasRemoved &&
    !findShadowRoots() &&
    shadowRoots.size === 0 &&
    !document.querySelector(ACTIVE) &&
    !document.evaluate(HANDLERS, document, null, XPathResult.BOOLEAN_TYPE, null).booleanValue
  );
}

/** What a person sees. A view transition captures frames, so they must be drawn. */
export function screen() {
  const { hasGap, ...seen } = evidence();
  return {
    ...seen,
    hasGap: hasGap || isRotating,
    isRotating,
    isWatchingPaints,
    isMeasuring,
    hasChanged,
    hasReplaced,
    isInTransition: Boolean(document.activeViewTransition),
  };
}

/** Frame by frame, scripts draw on a canvas without another change, or move things by their attributes. */
export function changesSoFar() {
  return { changes, moves, hasCanvas: document.querySelector('canvas') !== null };
}

export function framed() {
  return new Promise((resolve) => requestAnimationFrame(resolve));
}

/** Only a frame with a change gives idle time. */
export function isIdling() {
  if (idle > 0) requestAnimationFrame(() => undefined);
  return idle > 0;
}

/** Animations that are endless or follow the scroll position do not count. Null stands for Infinity. */
export function animatedMs() {
  const left = document
    .getAnimations()
    .map(leftOf)
    .filter((ms) => ms > 0 && ms < Infinity);
  return left.length > 0 ? Math.min(...left) : null;
}

/** @param {Animation} animation */
function leftOf({ playState, playbackRate, effect, currentTime }) {
  if (playState !== 'running' || !effect) return Infinity;
  return (Number(effect.getComputedTiming().endTime) - Number(currentTime)) / playbackRate;
}

/** @param {string} selector */
export function appeared(selector) {
  return new Promise((resolve) => {
    /** @type {Set<Place>} */
    const watched = new Set();
    const look = () => {
      const places = [document, ...shadowRoots];
      if (places.some((place) => place.querySelector(selector))) {
        looking.disconnect();
        clearInterval(timer);
        resolve(true);
        return;
      }
      for (const place of places) {
        if (!watched.has(place)) looking.observe(place, EVERYTHING);
        watched.add(place);
      }
    };
    const lookForRoots = () => {
      findShadowRoots();
      look();
    };
    const looking = new MutationObserver(look);
    const timer = setInterval(lookForRoots, LOOK_MS);
    lookForRoots();
  });
}

/**
 * The whole document with doctype and outer comments. Null if longer than the limit.
 * @param {number} maxLength
 */
export function read(maxLength) {
  findShadowRoots();
  const text = Array.from(document.childNodes, markup).join('');
  return text.length > maxLength ? null : text;
}

const serializer = new XMLSerializer();

/** @param {Node} node */
function markup(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return serializer.serializeToString(node);
  return shadowRoots.size > 0 && node instanceof HTMLHtmlElement
    ? withShadowRoots(node)
    : /** @type {Element} */ (node).outerHTML;
}

/**
 * https://html.spec.whatwg.org/multipage/dynamic-markup-insertion.html#dom-element-gethtml
 * @param {HTMLHtmlElement} element
 */
function withShadowRoots(element) {
  const shell = /** @type {Element} */ (element.cloneNode()).outerHTML;
  const end = shell.lastIndexOf('</');
  return shell.slice(0, end) + element.getHTML({ shadowRoots: [...shadowRoots] }) + shell.slice(end);
}
