/**
 * For scripts that replace parts of a page or worker, each in a scope of its own. Proxies print as native
 * code, leave no stack frame, and ignore later changes by the page. A string, because a bundler would rewrite
 * a function.
 */
export const LIKE_NATIVE = /* js */ `
const { apply } = Reflect;
const { captureStackTrace } = Error;
const { create, defineProperty, getOwnPropertyDescriptor } = Object;
const NativeProxy = Proxy;
const likeNative = (native, answer) => {
  const trap = (target, self, args) => {
    try {
      return answer(self, args, target);
    } catch (error) {
      captureStackTrace(error, trap);
      throw error;
    }
  };
  return new NativeProxy(native, { __proto__: null, apply: trap });
};
const replace = (owner, name, answer) => {
  const old = getOwnPropertyDescriptor(owner, name);
  const kind = old.get ? 'get' : 'value';
  defineProperty(owner, name, { ...old, [kind]: likeNative(old[kind], answer) });
};
// A page's function that does something else first, each time it is called.
const after = (work, callback) => {
  const call = (target, self, args) => {
    work();
    return apply(target, self, args);
  };
  return new NativeProxy(callback, { __proto__: null, apply: call });
};
`;
