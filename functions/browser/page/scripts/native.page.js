// @ts-check
// What scripts take before a page's own can change it, and replace so that the page does not see it.

/** @type {(target: Function, self: unknown, args: ArrayLike<unknown>) => unknown} */
export const apply = Reflect.apply;
/** @type {(prototype: object | null) => object} */
export const create = Object.create;
export const defineProperty = Object.defineProperty;
export const getOwnPropertyDescriptor = Object.getOwnPropertyDescriptor;
const captureStackTrace = Error.captureStackTrace;
const NativeProxy = Proxy;

/** @typedef {(self: unknown, args: unknown[], native: Function) => unknown} Answer */

/**
 * A proxy prints as native code, and leaves no stack frame.
 * @template {Function} F
 * @param {F} native
 * @param {Answer} answer
 * @returns {F}
 */
export function likeNative(native, answer) {
  /** @type {(target: Function, self: unknown, args: unknown[]) => unknown} */
  const trap = (target, self, args) => {
    try {
      return answer(self, args, target);
    } catch (error) {
      captureStackTrace(/** @type {object} */ (error), trap);
      throw error;
    }
  };
  return new NativeProxy(native, /** @type {object} */ ({ __proto__: null, apply: trap }));
}

/**
 * @param {object} owner
 * @param {string} name
 * @param {Answer} answer
 */
export function replace(owner, name, answer) {
  const old = /** @type {PropertyDescriptor} */ (getOwnPropertyDescriptor(owner, name));
  const kind = old.get ? 'get' : 'value';
  const native = /** @type {Function} */ (old[kind]);
  defineProperty(owner, name, { ...old, [kind]: likeNative(native, answer) });
}

/**
 * A page's function that does something else first, each time it is called.
 * @param {() => void} work
 * @param {Function} callback
 */
export function after(work, callback) {
  /** @type {(target: Function, self: unknown, args: unknown[]) => unknown} */
  const call = (target, self, args) => {
    work();
    return apply(target, self, args);
  };
  return new NativeProxy(callback, /** @type {object} */ ({ __proto__: null, apply: call }));
}

/** @type {(value: unknown) => value is Function} */
export const isFunction = (value) => typeof value === 'function';
