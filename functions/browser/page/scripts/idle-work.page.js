// @ts-check
import { after, apply, create, isFunction, replace } from './native.page.js';

const PAINTS = ['paint', 'largest-contentful-paint', 'element'];
const MEASURES = [
  'layout-shift',
  'event',
  'first-input',
  'longtask',
  'long-animation-frame',
  'navigation',
  'resource',
];

/**
 * Reports what Chromium does in idle time, which only drawn frames have and no event reports: idle callbacks,
 * and canvases that become files. Reports too that a script watches for paints.
 * @param {{ requested: string, over: string, watched: string, measured: string }} events
 */
export function reportIdleWork(events) {
  const NativeEvent = Event;
  const { dispatchEvent } = EventTarget.prototype;
  const { then } = Promise.prototype;
  /** @param {string} name */
  const report = (name) => void apply(dispatchEvent, window, [new NativeEvent(name)]);
  const end = () => report(events.over);
  reportIdleCallbacks(() => report(events.requested), end);
  replace(PerformanceObserver.prototype, 'observe', (self, args, native) => {
    const result = apply(native, self, args);
    const { type, entryTypes = [type] } = /** @type {PerformanceObserverInit} */ (args[0] ?? {});
    for (const each of PAINTS) if (entryTypes.includes(each)) report(events.watched);
    for (const each of MEASURES) if (entryTypes.includes(each)) report(events.measured);
    return result;
  });
  replace(HTMLCanvasElement.prototype, 'toBlob', (self, args, native) => {
    const [callback] = args;
    if (!isFunction(callback)) return apply(native, self, args);
    args[0] = after(end, callback);
    apply(native, self, args);
    report(events.requested);
    return undefined;
  });
  replace(OffscreenCanvas.prototype, 'convertToBlob', (self, args, native) => {
    const promise = apply(native, self, args);
    report(events.requested);
    apply(then, promise, [end, end]);
    return promise;
  });
}

/**
 * @param {() => void} begin
 * @param {() => void} end
 */
function reportIdleCallbacks(begin, end) {
  const idle = /** @type {Record<number, true>} */ (create(null));
  /** @param {number} handle */
  const over = (handle) => {
    if (!idle[handle]) return;
    delete idle[handle];
    end();
  };
  replace(window, 'requestIdleCallback', (self, args, native) => {
    const [callback] = args;
    if (!isFunction(callback)) return apply(native, self, args);
    let handle = 0;
    args[0] = after(() => over(handle), callback);
    handle = /** @type {number} */ (apply(native, self, args));
    idle[handle] = true;
    begin();
    return handle;
  });
  replace(window, 'cancelIdleCallback', (self, args, native) => {
    apply(native, self, args);
    if (typeof args[0] === 'number') over(args[0]);
  });
}
