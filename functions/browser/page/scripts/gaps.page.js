// @ts-check
// Places of a page that wait for their content, whatever the rest of it shows.

const { closest, matches } = Element.prototype;
// A form's input named shadowRoot hides the property.
const shadowRootOf = /** @type {(this: Element) => ShadowRoot | null} */ (
  Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot')?.get
);

/** A component without its script or content, or an empty place that a script knows by its name. */
const UNDEFINED = ':not(:defined)';
const PLACE = ':is(div, section, article, span, p, figure)';
const MAX_DATA = 20;
/** Names of places that take no content. Content is in a landmark, if there is one. */
const BESIDE =
  /(^|[-_\s])(modals?|portals?|dialogs?|toasts?|snackbars?|overlays?|backdrop|popups?|popovers?|tooltips?|lightbox|drawer|chat|widget|cookies?|consent|banner|ads?|advert\w*|notif\w*|announce\w*|messages?|alerts?|errors?|captcha|recaptcha|fb|gtm|intercom|sentinel|spacer|divider|clearfix|icon|badge|sr|live)([-_\s]|$)/i;
const LANDMARKS = 'main, article, [role="main"]';
/** Cells and values that have none so far. */
const VALUES = 'td, dd, output, strong, b, span, p';
const NOTHING = /^[-–—?]$/;
const NOTHING_YET = /\byet\b\W*$/i;
const MAX_LINE = 48;

/** @param {Element} element */
export function isUnfilled(element) {
  if (matches.call(element, UNDEFINED)) return !isBeside(element);
  if (element.firstElementChild !== null || element.textContent.trim() !== '' || isBeside(element))
    return false;
  if (element.localName.includes('-')) return shadowRootOf.call(element) === null;
  if (!matches.call(element, PLACE) || !isNamed(element)) return false;
  return document.querySelector(LANDMARKS) === null || closest.call(element, LANDMARKS) !== null;
}

/** @param {Element} element */
const isNamed = (element) =>
  element.id !== '' ||
  element
    .getAttributeNames()
    .slice(0, MAX_DATA)
    .some((name) => name.startsWith('data-'));

/** @param {Element} element */
const isBeside = (element) =>
  element.hasAttribute('aria-live') ||
  element.ariaHidden === 'true' ||
  BESIDE.test(`${element.localName} ${element.id} ${element.getAttribute('class') ?? ''}`);

/**
 * @param {string} line
 * @param {Element} parent
 */
export const saysNothingYet = (line, parent) =>
  line.length <= MAX_LINE && (NOTHING_YET.test(line) || (NOTHING.test(line) && matches.call(parent, VALUES)));
