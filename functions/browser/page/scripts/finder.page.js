// @ts-check
import { isVisible } from './element.page.js';

// Finds elements, from a world that pages neither see nor change.

const BUTTONS = ['submit', 'button', 'reset'];
const SILENT = ['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'HEAD', 'TITLE'];
const SILENT_SELECTOR = SILENT.join();
const shadowRootOf = /** @type {(this: Element) => ShadowRoot | null} */ (
  Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot')?.get
);

/** @typedef {'css' | 'text' | 'xpath'} Kind */
/** @typedef {Document | Element | ShadowRoot} Root */

/** @type {(text: string) => string} */
const normal = (text) => text.replace(/\s+/g, ' ').trim();

/**
 * The first visible element that matches, or else the first.
 * @param {unknown} scope the element to search in, or the window
 * @param {Kind} kind
 * @param {string} value
 */
export function find(scope, kind, value) {
  const all = findAll(scope, kind, value);
  return all.find(isVisible) ?? all[0] ?? null;
}

/**
 * Removes all elements that match beside one of them.
 * @param {Element} element
 * @param {Kind} kind
 * @param {string} value
 */
export function removeAll(element, kind, value) {
  const root = element.getRootNode();
  const scope = root instanceof ShadowRoot ? root.host : document;
  for (const each of findAll(scope, kind, value)) each.remove();
}

/** @type {(within: unknown, kind: Kind, value: string) => Element[]} */
function findAll(within, kind, value) {
  const search = { css: byCss, text: byText, xpath: byPath }[kind];
  return rootsOf(within).flatMap((root) => search(root, value));
}

/**
 * @param {unknown} within
 * @returns {Root[]}
 */
function rootsOf(within) {
  if (!(within instanceof Element)) return [document];
  const shadowRoot = shadowRootOf.call(within);
  return shadowRoot ? [shadowRoot, within] : [within];
}

/** @type {(root: Root, value: string) => Element[]} */
const byCss = (root, value) => [...root.querySelectorAll(value)];

/** @type {(root: Root, value: string) => Element[]} */
function byText(root, value) {
  const wanted = normal(value).toLowerCase();
  const quoted = /^"(.*)"$/.exec(normal(value))?.[1];
  /** @param {string} text */
  const says = (text) =>
    quoted === undefined ? normal(text).toLowerCase().includes(wanted) : normal(text) === quoted;
  return withText(root, says);
}

/** @type {(root: Root, says: (text: string) => boolean) => Element[]} */
function withText(root, says) {
  /** @type {Element[]} */
  const found = [];
  for (const element of root.querySelectorAll('*')) {
    if (SILENT.includes(element.tagName)) continue;
    const shadowRoot = shadowRootOf.call(element);
    if (shadowRoot) found.push(...withText(shadowRoot, says));
    if (!says(textOf(element))) continue;
    // The innermost element that has the text.
    const isInner = [...element.children].some(
      (child) => !SILENT.includes(child.tagName) && says(textOf(child)),
    );
    if (!isInner) found.push(element);
  }
  return found;
}

/** @param {Element} element */
function textOf(element) {
  if (element.localName !== 'input') return shownIn(element);
  const { type, value } = /** @type {HTMLInputElement} */ (element);
  return BUTTONS.includes(type) ? value : '';
}

/**
 * What nobody sees does not make its parent match either.
 * @param {Element} element
 */
function shownIn(element) {
  if (!element.querySelector(SILENT_SELECTOR)) return element.textContent;
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let text = '';
  while (walker.nextNode()) {
    const node = /** @type {Text} */ (walker.currentNode);
    if (!node.parentElement?.closest(SILENT_SELECTOR)) text += node.data;
  }
  return text;
}

/** @type {(root: Root, value: string) => Element[]} */
function byPath(root, value) {
  if (root instanceof ShadowRoot) return [];
  const path = root === document ? value : value.replace(/^\(*(?=\/)/, '$&.');
  const result = document.evaluate(path, root, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
  const all = Array.from({ length: result.snapshotLength }, (_, index) => result.snapshotItem(index));
  return all.filter((node) => node instanceof Element);
}
