// @ts-check
import { isDrawnSpinner } from './canvas-spinner.page.js';
import { isUnfilled, saysNothingYet } from './gaps.page.js';
import { isBarMoving, isCountMoving, isPercentMoving, isUnderWay, PROGRESS } from './progress.page.js';
// Judges by what a person sees whether a page shows its content or still waits for it.

const { checkVisibility, closest, getBoundingClientRect: boxOf, matches } = Element.prototype;

/** So that a look stays cheap on a huge page. */
const MAX_NODES = 3_000;
const MAX_BOXES = 150;
/** Of a page with much text, what is above decides. */
const FURTHER_NODES = 300;
/** A page with more characters than this, not counting links, shows its content unless its screen waits. */
const MANY_CHARACTERS = 300;
const LARGE_SHARE = 0.3;
/** A page with more than this shows its content, though a small part of it says that it is busy. */
const SOME_CHARACTERS = 150;
const SMALL_SHARE = 0.1;

const NO_CONTENT =
  'script, style, noscript, template, head, header, footer, nav, aside, dialog:not([open]), [hidden], [role="banner"], [role="navigation"], [role="contentinfo"]';
/** They lead to content, and are none. */
const PASSAGE = 'a, button, label:not(:has(:disabled))';
/** What some libraries draw in place of text. */
const DRAWS = 'path, text, image, use, line, polyline, polygon, foreignObject';
const PART = '[aria-busy="true" i]';
const SAYS_BUSY = `${PART}, ${PROGRESS}`;
const MEDIA =
  'img, picture, svg, canvas, video, audio, iframe, frame, object, embed, input, textarea, select';
const LISTS = 'tbody, ul, ol, dl, [role="list"], [role="feed"], [role="grid"], [role="rowgroup"]';
/** Names that libraries and style guides have for what stands in for content. */
const STAND_IN =
  /(^|[-_\s])(skeleton|shimmer|spinner|loader|preloader|loading|placeholder)|(Skeleton|Shimmer|Spinner|Loader)/;
/** A line that trails off, has dashes for digits, or counts: parts of a whole, steps, or seconds. */
const TRAILS_OFF =
  /(…|\.\.\.)|(^|[\s:$€£¥])[-–—]{2,}([.:,][-–—]+)*$|^\D{0,40}\d{1,3}\s?(%|per\s?cent|prozent|pour cent|por ciento)\D{0,12}$|^(step|stage|phase|task|schritt|étape|etapa|paso|passo|fase|steg|шаг)\s\d{1,3}\D{1,5}\d{1,3}\W*$|(?<![\d.,])\d{1,3}([.,]\d)?\s?(s|sec|secs|seconds?|sekunden?|secondes?|segundos?|secondi|seconden|sekunder)\b|\d\s?(秒|초|сек)/i;
const SAYS_WAITING =
  /\b(loading|please wait|one moment|just a moment|hang on|stand by|in progress|nearly there|almost (there|done)|hold on|waiting for|await(ing|ed)|(re)?(connect|process|prepar|generat|check|verify|fetch|retriev|search|buffer|initiali[sz]|redirect|(?:down|up)load|export|import|sync|calculat|analy[sz])ing|pending|queued?|queuing|wird geladen|lädt|bitte warten|chargement|patientez|cargando|espere|carregando|aguarde|caricamento|attendere|laden|laddar|indlæser|ładowanie|wczytywanie|pobieranie|przetwarzanie|czekaj|yükleniyor|bekleyin|even geduld|bezig met|hämtar|vänta|henter|laster inn|vent litt|ladataan|odota|memuat|mohon tunggu)\b|se încarc|načít|čekejte|betölt|φόρτωση|περιμένετε|загрузка|подождите|завантаж|зачекайте|đang tải|กำลังโหลด|लोड हो|加载|載入|读取|読み込み|お待ち|로딩|불러오는|جار|טוען/i;
/** What is at work, as English says it: "Transcoding", "The job is running", "Stock is being checked". */
const SAYS_AT_WORK =
  /^[a-z]{3,}ing\b(?![^.!?]*[.!?]\s)(?!.*[,:;\d])|\b(is|are|still|currently|now) (being [a-z]+|[a-z]{3,}ing)\W*$/i;
const NO_STATUS = 'h1, h2, h3, h4, h5, h6, li, dt, dd, th, td, figcaption, caption, legend';
/** It says what the page as a whole does. */
const STATUS = '[role="status" i]';
const MAX_LINE = 80;
/** Parts of a line, such as the number that counts down in it. */
const WORDS = 'b, strong, em, i, span, time, output, var';
const MAX_WORDS = 3;
const MAX_STATUS = 48;

// A form's input named shadowRoot hides the property.
const shadowRootOf = /** @type {(this: Element) => ShadowRoot | null} */ (
  Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot')?.get
);

/**
 * What is left to look at, and what has been seen: `busy` pixels of what stands in for content.
 * @typedef {{ nodes: number, boxes: number, characters: number, size: number, busy: number }} Amounts
 * @typedef {{ isBusy: boolean, isPartBusy: boolean, saysBusy: boolean, isCounting: boolean }} Business
 * @typedef {{ isInProgress: boolean, isProgressing: boolean, hasGap: boolean }} Parts
 * @typedef {Amounts & Business & Parts & { isOpen: boolean, hasMedia: boolean }} Seen
 */

/**
 * `size` grows as content comes. `hasGap`: a part is empty, or waits, whatever the rest shows.
 * @returns {{ shows: 'showing' | 'waiting' | 'unknown', size: number } & Parts}
 */
export function evidence() {
  const amounts = { nodes: MAX_NODES, boxes: MAX_BOXES, characters: 0, size: 0, busy: 0 };
  /** @type {Seen} */
  const seen = {
    ...amounts,
    isBusy: false,
    isPartBusy: false,
    isOpen: false,
    hasMedia: false,
    saysBusy: false,
    isInProgress: false,
    isProgressing: false,
    isCounting: false,
    hasGap: false,
  };
  const body = /** @type {HTMLElement | null} */ (document.body);
  if (body) read(body, seen);
  lookAtAnimations(seen);
  const { size, characters, isInProgress } = seen;
  const hasGap = seen.hasGap || seen.isBusy || seen.isPartBusy;
  const shows = judged(seen);
  const isProgressing = seen.isProgressing || (seen.isCounting && shows === 'waiting');
  return { shows, size: size + characters, isInProgress, isProgressing, hasGap };
}

/** @param {Seen} seen */
function judged({ characters, busy, saysBusy, isBusy, isPartBusy, isOpen, hasMedia, nodes }) {
  if (saysBusy || busy > LARGE_SHARE * innerWidth * innerHeight) return 'waiting';
  if (characters > MANY_CHARACTERS || nodes <= 0) return 'showing';
  if (isBusy || (isPartBusy && characters <= SOME_CHARACTERS)) return 'waiting';
  if (characters === 0) return hasMedia ? 'unknown' : 'waiting';
  return isOpen ? 'unknown' : 'showing';
}

/**
 * @param {Element | ShadowRoot} root
 * @param {Seen} seen
 */
function read(root, seen) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
    node instanceof Element && matches.call(node, NO_CONTENT)
      ? NodeFilter.FILTER_REJECT
      : NodeFilter.FILTER_ACCEPT,
  );
  while (walker.nextNode() && seen.nodes > 0) {
    seen.nodes -= 1;
    const node = walker.currentNode;
    if (node instanceof Element) lookAt(node, seen);
    else readText(/** @type {Text} */ (node), seen);
  }
}

/**
 * @param {Text} text
 * @param {Seen} seen
 */
function readText({ data, parentElement }, seen) {
  const text = data.trim();
  if (text === '' || (parentElement && !isVisible(parentElement))) return;
  const isPassage = Boolean(parentElement && closest.call(parentElement, PASSAGE));
  const line = parentElement ? lineWith(text, parentElement) : text;
  // A link or a button with dots opens something.
  const says = isPassage ? undefined : saidBy(line, parentElement);
  if (says) waits(parentElement, seen);
  seen.isInProgress ||= says === 'at work';
  if (parentElement) {
    seen.isProgressing = isPercentMoving(parentElement, text) || seen.isProgressing;
    seen.isCounting = (says === 'waiting' && isCountMoving(parentElement, line)) || seen.isCounting;
  }
  if (says === 'waiting' && parentElement && closest.call(parentElement, STATUS)) seen.saysBusy = true;
  else if (!isPassage && parentElement) seen.hasGap ||= saysNothingYet(text, parentElement);
  if (!says) seen.characters += isPassage ? text.length / 3 : text.length;
  if (seen.characters > MANY_CHARACTERS) seen.nodes = Math.min(seen.nodes, FURTHER_NODES);
}

/**
 * The line of which a text is part, such as "Ready in <b>3</b> s".
 * @param {string} text
 * @param {Element} parent
 */
function lineWith(text, parent) {
  const { children, textContent } = parent;
  if (children.length === 0 || children.length > MAX_WORDS) return text;
  const areWords = [...children].every((child) => matches.call(child, WORDS) && isVisible(child));
  const line = textContent.trim();
  return areWords && line.length <= MAX_LINE ? line : text;
}

/**
 * @param {string} line
 * @param {Element | null} parent
 * @returns {'waiting' | 'at work' | undefined}
 */
function saidBy(line, parent) {
  if (line.length > MAX_LINE) return undefined;
  if (TRAILS_OFF.test(line) || SAYS_WAITING.test(line)) return 'waiting';
  const isStatus = line.length <= MAX_STATUS && !(parent && closest.call(parent, NO_STATUS));
  return isStatus && SAYS_AT_WORK.test(line) ? 'at work' : undefined;
}

/**
 * @param {Element} element
 * @param {Seen} seen
 */
function lookAt(element, seen) {
  seen.size += 1;
  seen.hasGap ||= isUnfilled(element) && isVisible(element);
  const shadowRoot = shadowRootOf.call(element);
  if (shadowRoot) read(shadowRoot, seen);
  if (matches.call(element, PROGRESS) && isVisible(element)) {
    seen.isInProgress ||= isUnderWay(element);
    seen.isProgressing = isBarMoving(element) || seen.isProgressing;
  }
  if (isDrawnBusy(element) || isDrawnSpinner(element) || isNamedBusy(element)) busy(element, seen);
  else if (matches.call(element, MEDIA)) seen.hasMedia ||= hasSize(element, 32, 32);
  else if (matches.call(element, SAYS_BUSY)) busy(element, seen);
  else if (element.firstElementChild === null && !shadowRoot && element.textContent.trim() === '')
    lookAtEmpty(element, seen);
}

/**
 * What has neither content nor a picture stands in for some, or will hold it.
 * @param {Element} element
 * @param {Seen} seen
 */
function lookAtEmpty(element, seen) {
  if (seen.boxes <= 0 || /^(br|hr|wbr|slot|link|meta|area|col|source|track|option)$/.test(element.localName))
    return;
  seen.boxes -= 1;
  if (matches.call(element, LISTS)) waits(element, seen);
  else if (!isVisible(element)) return;
  else if (STAND_IN.test(element.getAttribute('class') ?? '') || isBar(element)) busy(element, seen);
  else if (element.id !== '' && boxOf.call(element).height < 1) seen.isOpen = true;
}

/** @param {Element} element */
const isNamedBusy = (element) =>
  element.textContent.trim().length < 2 &&
  saidBy(element.getAttribute('aria-label') ?? '', null) !== undefined;

/**
 * A bar of plain colour, as wide as a line of text.
 * @param {Element} element
 */
function isBar(element) {
  if (!hasSize(element, innerWidth * 0.15, 7)) return false;
  const { backgroundColor, backgroundImage, display } = getComputedStyle(element);
  const isPlain = !/url\(/.test(backgroundImage) && display !== 'inline';
  return isPlain && (backgroundImage !== 'none' || !/^(transparent|rgba\(.*, 0\))$/.test(backgroundColor));
}

/**
 * A drawing of bars, or with an animation that never ends.
 * @param {Element} element
 */
const isDrawnBusy = (element) =>
  element.localName === 'svg' &&
  (element.querySelector('[repeatCount="indefinite"]') !== null ||
    (element.querySelector('rect') !== null &&
      element.querySelector(DRAWS) === null &&
      hasSize(element, innerWidth * 0.15, 7)));

/** @param {Seen} seen */
function lookAtAnimations(seen) {
  for (const { effect, playState } of document.getAnimations().slice(0, MAX_BOXES)) {
    const target = /** @type {Partial<KeyframeEffect> | null} */ (effect)?.target;
    if (!target || playState !== 'running' || effect?.getTiming().iterations !== Infinity) continue;
    const isEmpty = target.textContent.trim() === '' && !target.querySelector('img, video, canvas');
    if (isEmpty && !matches.call(target, 'img, video, canvas') && isVisible(target)) busy(target, seen);
  }
}

/**
 * @param {Element} element
 * @param {Seen} seen
 */
function busy(element, seen) {
  if (!isVisible(element) || closest.call(element, NO_CONTENT)) return;
  const { top, bottom, left, right } = boxOf.call(element);
  const height = Math.min(bottom, innerHeight) - Math.max(top, 0);
  const width = Math.min(right, innerWidth) - Math.max(left, 0);
  waits(element, seen);
  if (height > 0 && width > 0) seen.busy += height * width;
}

/**
 * @param {Element | null} element
 * @param {Seen} seen
 */
function waits(element, seen) {
  const part = element && closest.call(element, PART);
  const box = part && boxOf.call(part);
  if (box && box.width * box.height < SMALL_SHARE * innerWidth * innerHeight) seen.isPartBusy = true;
  else seen.isBusy = true;
}

/** @type {(element: Element, width: number, height: number) => boolean} */
function hasSize(element, width, height) {
  const box = boxOf.call(element);
  return box.width >= width && box.height >= height;
}

/** @param {Element} element */
const isVisible = (element) =>
  checkVisibility.call(element, { visibilityProperty: true, opacityProperty: true });
