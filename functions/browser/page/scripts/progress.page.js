// @ts-check
// Progress that a page shows, and that has moved since it has loaded, such as a download's.

const { checkVisibility, closest } = Element.prototype;

export const PROGRESS = '[role="progressbar" i], progress';
const PERCENT = /^\D{0,60}(?!100\D)\d{1,3}([.,]\d+)?\s?(%|per\s?cent|prozent|pour cent|por ciento)/i;
const MAX_LINE = 80;
const MOST = 50;

/** @type {Set<Element>} */
const moved = new Set();

/** @param {MutationRecord} record */
export function noteProgress({ type, target, addedNodes }) {
  if (moved.size >= MOST) return;
  const element = target instanceof Element ? target : target.parentElement;
  const isText =
    type === 'characterData' || (addedNodes.length === 1 && addedNodes[0]?.nodeType === Node.TEXT_NODE);
  const place = type === 'attributes' ? element && closest.call(element, PROGRESS) : element;
  if (place && (type === 'attributes' || (isText && isCounting(place)))) moved.add(place);
}

/**
 * Neither at its beginning nor at its end.
 * @param {Element} element
 */
export function isUnderWay(element) {
  if (element instanceof HTMLProgressElement) return element.position !== 0 && element.position !== 1;
  const [now, least, most] = ['now', 'min', 'max'].map((name) => element.getAttribute(`aria-value${name}`));
  return now === null || (Number(now) > Number(least) && Number(now) < Number(most ?? 100));
}

/** Some of it has moved, and has not come to its end. */
export const isProgressing = () =>
  [...moved].some(
    (element) =>
      checkVisibility.call(element, { visibilityProperty: true, opacityProperty: true }) &&
      (element.matches(PROGRESS) ? isUnderWay(element) : isCounting(element)),
  );

/** @param {Element} element */
function isCounting({ textContent }) {
  const line = textContent.trim();
  return line.length <= MAX_LINE && PERCENT.test(line);
}
