// @ts-check
import { apply, defineProperty, likeNative } from './native.page.js';

const clock = performance;
const { now, getEntriesByType } = Performance.prototype;
const { toJSON } = PerformanceNavigationTiming.prototype;
const { timeOrigin } = clock;
const { floor } = Math;

/** @typedef {PerformanceNavigationTiming} Navigation */
/** @typedef {Pick<Navigation, 'type' | 'nextHopProtocol'> & Partial<Navigation>} Timing */

/** @type {(type: string) => PerformanceEntry | undefined} */
const firstOf = (type) => /** @type {PerformanceEntry[]} */ (apply(getEntriesByType, clock, [type]))[0];
const navigationEntry = firstOf('navigation');
const timing = () =>
  /** @type {Timing} */ (
    navigationEntry ? apply(toJSON, navigationEntry, []) : { type: 'navigate', nextHopProtocol: '' }
  );
/** @param {number | undefined} ms */
const secondsAt = (ms) => (ms ? (timeOrigin + ms) / 1000 : 0);
const TYPES = table({ reload: 'Reload', back_forward: 'BackForward' });
const TRANSITIONS = table({ reload: 16, back_forward: 6 });

/**
 * Has no properties but its own.
 * @template T
 * @param {Record<string, T>} entries
 */
function table(entries) {
  return /** @type {Record<string, T>} */ (/** @type {unknown} */ ({ ...entries, __proto__: null }));
}

/**
 * As in https://chromium.googlesource.com/chromium/src/+/HEAD/chrome/renderer/loadtimes_extension_bindings.cc
 * @param {boolean} isDesktop
 */
export function addChrome(isDesktop) {
  const chrome = {
    loadTimes: likeNative(function () {}, loadTimes),
    csi: likeNative(function () {}, csi),
    ...(isDesktop && { app: app() }),
  };
  defineProperty(window, 'chrome', {
    value: chrome,
    writable: true,
    enumerable: true,
    configurable: false,
  });
  if (!isDesktop) removeDesktopParts();
}

function loadTimes() {
  const { type, nextHopProtocol, ...at } = timing();
  const isMultiplexed = nextHopProtocol === 'h2' || nextHopProtocol === 'h3';
  const isNamed = isMultiplexed || nextHopProtocol === 'http/1.1';
  return {
    requestTime: timeOrigin / 1000,
    startLoadTime: timeOrigin / 1000,
    commitLoadTime: secondsAt(at.responseStart),
    finishDocumentLoadTime: secondsAt(at.domContentLoadedEventEnd),
    finishLoadTime: secondsAt(at.loadEventEnd),
    firstPaintTime: secondsAt(firstOf('paint')?.startTime),
    firstPaintAfterLoadTime: 0,
    navigationType: TYPES[type] ?? 'Other',
    wasFetchedViaSpdy: isMultiplexed,
    wasNpnNegotiated: isMultiplexed,
    npnNegotiatedProtocol: isMultiplexed ? nextHopProtocol : 'unknown',
    wasAlternateProtocolAvailable: false,
    connectionInfo: isNamed ? nextHopProtocol : 'unknown',
  };
}

function csi() {
  const { type, domContentLoadedEventEnd: parsed } = timing();
  const onloadT = parsed ? floor(timeOrigin + parsed) : 0;
  return { onloadT, startE: floor(timeOrigin), pageT: apply(now, clock, []), tran: TRANSITIONS[type] ?? 15 };
}

/** Of web applications, which Chrome for Android does not have. */
function app() {
  return {
    isInstalled: false,
    getDetails: likeNative(
      function getDetails() {},
      () => null,
    ),
    getIsInstalled: likeNative(
      function getIsInstalled() {},
      () => false,
    ),
    installState: likeNative(
      function installState() {},
      (_, [callback]) => void (/** @type {Function | undefined} */ (callback)?.('not_installed')),
    ),
    runningState: likeNative(
      function runningState() {},
      () => 'cannot_run',
    ),
    InstallState: { DISABLED: 'disabled', INSTALLED: 'installed', NOT_INSTALLED: 'not_installed' },
    RunningState: { CANNOT_RUN: 'cannot_run', READY_TO_RUN: 'ready_to_run', RUNNING: 'running' },
  };
}

/** Chrome for Android has no shared workers and no choice of speakers. */
function removeDesktopParts() {
  Reflect.deleteProperty(window, 'SharedWorker');
  Reflect.deleteProperty(HTMLMediaElement.prototype, 'sinkId');
  Reflect.deleteProperty(HTMLMediaElement.prototype, 'setSinkId');
}
