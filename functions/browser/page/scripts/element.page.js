// @ts-check
// Looks at elements, from a world that pages neither see nor change.

const { checkVisibility, closest, getBoundingClientRect: boxOf, matches } = Element.prototype;

/** @param {DOMRect} box */
const hasSize = ({ width, height }) => width > 0 && height > 0;

/** @param {Element} element */
function insideOf(element) {
  const range = document.createRange();
  range.selectNodeContents(element);
  return range.getBoundingClientRect();
}

/**
 * Text runs through inline elements without a box of their own, which show what is in them.
 * @param {Element} element
 */
export function isVisible(element) {
  const { display, visibility } = getComputedStyle(element);
  if (display === 'contents') return visibility === 'visible' && hasSize(insideOf(element));
  if (!checkVisibility.call(element, { visibilityProperty: true })) return false;
  return hasSize(boxOf.call(element)) || (display === 'inline' && hasSize(insideOf(element)));
}

/**
 * The state that an instruction depends on.
 * @param {HTMLElement & Partial<HTMLInputElement>} element
 */
export function stateOf(element) {
  const { x, y, width, height } = boxOf.call(element);
  const control = element.localName === 'label' ? controlOf(element) : element;
  const isDisabled = matches.call(element, ':disabled') || closest.call(element, '[aria-disabled="true"]');
  return {
    isConnected: element.isConnected,
    isVisible: isVisible(element),
    isEnabled: !isDisabled,
    box: [x, y, width, height].join(),
    isFile: element.localName === 'input' && element.type === 'file',
    isEditable: element.isContentEditable || /^(input|textarea|select)$/.test(element.localName),
    isReadOnly: element.readOnly === true,
    isChecked: control?.checked === true,
    tag: element.localName,
    type: control?.type ?? '',
  };
}

/**
 * What a person would point at: the label of a checkbox that others draw, or the first child with a box.
 * @param {Element} element
 */
export function targetOf(element) {
  /** @param {Element} each */
  const hasPlace = (each) => hasSize(boxOf.call(each)) && isVisible(each);
  return hasPlace(element) ? element : (choicesFor(element).find(hasPlace) ?? element);
}

/**
 * @param {Element} element
 * @returns {Element[]}
 */
function choicesFor(element) {
  const { localName, type, labels } = /** @type {HTMLInputElement} */ (element);
  if (localName === 'input' && /^(checkbox|radio)$/.test(type)) return [...(labels ?? [])];
  return isVisible(element) ? [...element.querySelectorAll('*')] : [];
}

/**
 * Empty if a click that hits a node reaches an element; otherwise what covers it.
 * @param {Element} element
 * @param {Element} hit
 */
export function coverOf(element, hit) {
  for (let node = /** @type {Node | null} */ (hit); node; node = above(node)) {
    if (node === element) return '';
    if (localNameOf(node) === 'label' && controlOf(node) === element) return '';
  }
  // A part that lets clicks through to its own button or link.
  for (let node = /** @type {Node | null} */ (element); node; node = above(node))
    if (node === hit && matches.call(hit, 'a, button, label, summary, [role]')) return '';
  const { localName, id, className } = hit;
  const names = typeof className === 'string' ? className.trim().split(/\s+/).filter(Boolean) : [];
  return `<${[localName + (id ? `#${id}` : ''), ...names].join('.')}>`.slice(0, 80);
}

/**
 * @param {Node} node
 * @returns {Node | null}
 */
function above(node) {
  const { assignedSlot, parentNode, host } = /** @type {Partial<Element & ShadowRoot>} */ (node);
  return assignedSlot ?? parentNode ?? host ?? null;
}

/** @param {Node} node */
const localNameOf = (node) => /** @type {Partial<Element>} */ (node).localName;

/** @param {Node} label */
const controlOf = (label) =>
  /** @type {Partial<HTMLInputElement> | null} */ (/** @type {HTMLLabelElement} */ (label).control);
