// @ts-check
// Progress that moves between two looks at a page, such as of a download.

export const PROGRESS = '[role="progressbar" i], progress';
const PERCENT = /^\D{0,60}(\d{1,3}([.,]\d+)?)\s?(%|per\s?cent|prozent|pour cent|por ciento)/i;

/** What each showed at the last look. @type {WeakMap<Element, string>} */
const shown = new WeakMap();
/** @type {WeakSet<Element>} */
const moved = new WeakSet();

/**
 * Neither at its beginning nor at its end.
 * @param {Element} element
 */
export function isUnderWay(element) {
  if (element instanceof HTMLProgressElement) return element.position !== 0 && element.position !== 1;
  const [now, least, most] = ['now', 'min', 'max'].map((name) => element.getAttribute(`aria-value${name}`));
  return now === null || (Number(now) > Number(least) && Number(now) < Number(most ?? 100));
}

/**
 * Whether a progress bar has moved since an earlier look, and is not at its end.
 * @param {Element} bar
 */
export const isBarMoving = (bar) =>
  isMoving(
    bar,
    bar instanceof HTMLProgressElement ? String(bar.position) : (bar.getAttribute('aria-valuenow') ?? ''),
  ) && isUnderWay(bar);

/**
 * The same of a percentage in an element's line of text.
 * @param {Element} element
 * @param {string} line
 */
export function isPercentMoving(element, line) {
  const [, percent] = PERCENT.exec(line) ?? [];
  return percent !== undefined && isMoving(element, percent) && Number(percent.replace(',', '.')) < 100;
}

/**
 * The same of the digits in a line that says that the page waits, such as the seconds of a countdown.
 * @param {Element} element
 * @param {string} line
 */
export function isCountMoving(element, line) {
  const digits = line.replaceAll(/\D+/g, ' ').trim();
  return digits !== '' && isMoving(element, digits);
}

/**
 * @param {Element} element
 * @param {string} value
 */
function isMoving(element, value) {
  const before = shown.get(element);
  shown.set(element, value);
  if (before !== undefined && before !== value) moved.add(element);
  return moved.has(element);
}
