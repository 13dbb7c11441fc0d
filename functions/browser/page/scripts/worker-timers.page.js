// @ts-check
import { after, apply, create, getOwnPropertyDescriptor, isFunction, replace } from './native.page.js';

const NativePromise = Promise;
/** @type {(object: object) => object} */
const getPrototypeOf = Object.getPrototypeOf;
const { max } = Math;
const scope = globalThis;

// https://html.spec.whatwg.org/multipage/timers-and-user-prompts.html#timer-initialisation-steps
const SHORTEST_MS = 4;

const pending = /** @type {Record<number, number>} */ (create(null));
let waited = 0;

/**
 * Watches a worker's timers before its own script runs. Returns a function that says whether it waits for
 * one, once it has done what it had to do; undefined if this is no worker.
 * @param {number} mostMs
 */
export function watchTimers(mostMs) {
  // A new worker has its timers only once its scope has been looked up.
  if (!globalThis.WorkerGlobalScope) return undefined;
  const { setTimeout } = globalThis;
  track('setTimeout', false);
  track('setInterval', true);
  forget('clearTimeout');
  forget('clearInterval');
  const isWaiting = () => {
    for (const handle in pending) if (waited + (pending[handle] ?? 0) <= mostMs) return true;
    return false;
  };
  // A task behind the present ones of its queue.
  return () => new NativePromise((resolve) => apply(setTimeout, scope, [() => resolve(isWaiting()), 0]));
}

/**
 * @param {string} name
 * @param {boolean} doesRepeat
 */
function track(name, doesRepeat) {
  replace(ownerOf(name), name, (self, args, native) => {
    const [callback, delay] = args;
    if (!isFunction(callback)) return apply(native, self, args);
    const wanted = typeof delay === 'string' || typeof delay === 'number' ? +delay : 0;
    const ms = max(SHORTEST_MS, wanted > 0 ? wanted : 0);
    let handle = 0;
    const fired = () => {
      if (handle in pending) waited += ms;
      if (!doesRepeat) delete pending[handle];
    };
    args[0] = after(fired, callback);
    handle = /** @type {number} */ (apply(native, self, args));
    pending[handle] = ms;
    return handle;
  });
}

/** @param {string} name */
function forget(name) {
  replace(ownerOf(name), name, (self, args, native) => {
    apply(native, self, args);
    if (typeof args[0] === 'number') delete pending[args[0]];
  });
}

/** @param {string} name */
function ownerOf(name) {
  /** @type {object} */
  let owner = scope;
  while (!getOwnPropertyDescriptor(owner, name)) owner = getPrototypeOf(owner);
  return owner;
}
