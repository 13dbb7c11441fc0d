import { LIKE_NATIVE } from './like-native.ts';

/** Milliseconds of a worker's timers, one after another, that are waited for: some workers only tick. */
const MAX_MS = 2_500;

/**
 * Runs in a worker before its own script, and returns a function that says whether the worker waits for a
 * timer, once it has done what it had to do. A string, because a bundler would rewrite a function.
 */
export const workerScript = /* js */ `(() => {
if (!globalThis.WorkerGlobalScope) return;
${LIKE_NATIVE}
const NativePromise = Promise;
const { getPrototypeOf } = Object;
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
const track = (name) => {
  replace(ownerOf(name), name, (self, args, native) => {
    if (typeof args[0] !== 'function') return apply(native, self, args);
    const delay = args[1];
    const ms = max(SHORTEST_MS, (typeof delay === 'string' || typeof delay === 'number') && delay > 0 ? +delay : 0);
    let handle;
    const fired = () => {
      if (handle in pending) waited += ms;
      delete pending[handle];
    };
    args[0] = after(fired, args[0]);
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
track('setTimeout');
track('setInterval');
forget('clearTimeout');
forget('clearInterval');
const isWaiting = () => {
  for (const handle in pending) if (waited + pending[handle] <= ${MAX_MS}) return true;
  return false;
};
// A task behind those that are in its queue.
return () => new NativePromise((resolve) => apply(setTimeout, scope, [() => resolve(isWaiting()), 0]));
})()`;
