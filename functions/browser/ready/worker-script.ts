import { LIKE_NATIVE } from '../page/native-parts.ts';

/** Milliseconds of a worker's timers, one after another, that are waited for: some workers only tick. */
const MOST_MS = 2_500;

/**
 * Runs in a worker before its own script, and returns a function that says whether the worker waits for a
 * timer, once it has done what it had to do. A string, because a bundler would rewrite a function.
 */
export const workerScript = /* js */ `(() => {
if (!globalThis.WorkerGlobalScope) return;
${LIKE_NATIVE}
const NativePromise = Promise;
const { getPrototypeOf } = Object;
const { addEventListener } = EventTarget.prototype;
const { setTimeout } = globalThis;
const scope = globalThis;
const ownerOf = (name) => {
  let owner = scope;
  while (!getOwnPropertyDescriptor(owner, name)) owner = getPrototypeOf(owner);
  return owner;
};
// https://html.spec.whatwg.org/multipage/timers-and-user-prompts.html#timer-initialisation-steps
const SHORTEST_MS = 4;
const { max } = Math;
const pending = create(null);
let waited = 0;
const track = (name, isRepeated) => {
  replace(ownerOf(name), name, (self, args, native) => {
    const [callback, delay] = [args[0], args[1]];
    if (typeof callback !== 'function') return apply(native, self, args);
    const ms = max(SHORTEST_MS, (typeof delay === 'string' || typeof delay === 'number') && delay > 0 ? +delay : 0);
    let handle;
    const call = (target, receiver, given) => {
      if (handle in pending) waited += ms;
      if (!isRepeated) delete pending[handle];
      return apply(target, receiver, given);
    };
    args[0] = new Proxy(callback, { __proto__: null, apply: call });
    handle = apply(native, self, args);
    pending[handle] = ms;
    return handle;
  });
};
const forget = (name) => {
  replace(ownerOf(name), name, (self, args, native) => {
    apply(native, self, args);
    if (typeof args[0] === 'number') delete pending[args[0]];
  });
};
track('setTimeout', false);
track('setInterval', true);
forget('clearTimeout');
forget('clearInterval');
// Another task of the page's begins.
apply(addEventListener, scope, ['message', () => (waited = 0)]);
const isWaiting = () => {
  for (const handle in pending) if (waited + pending[handle] <= ${MOST_MS}) return true;
  return false;
};
// A task behind those that are in its queue.
return () => new NativePromise((resolve) => apply(setTimeout, scope, [() => resolve(isWaiting()), 0]));
})()`;
