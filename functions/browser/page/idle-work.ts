import { randomUUID } from 'node:crypto';

/** Events of the window that no page knows: idle work was requested, and is done or cancelled. */
export const IDLE = { requested: randomUUID(), over: randomUUID() } as const;

/**
 * Tells of what Chromium does in idle time, which only drawn frames have and no event reports: idle
 * callbacks, and canvases that become files. For a script with `LIKE_NATIVE`.
 */
export const IDLE_WORK = /* js */ `
const NativeEvent = Event;
const { dispatchEvent } = EventTarget.prototype;
const tell = (name) => void apply(dispatchEvent, window, [new NativeEvent(name)]);
const idle = create(null);
const over = (handle) => {
  if (!idle[handle]) return;
  delete idle[handle];
  tell('${IDLE.over}');
};
replace(window, 'requestIdleCallback', (self, args, native) => {
  if (typeof args[0] !== 'function') return apply(native, self, args);
  let handle;
  args[0] = after(() => over(handle), args[0]);
  handle = apply(native, self, args);
  idle[handle] = true;
  tell('${IDLE.requested}');
  return handle;
});
replace(window, 'cancelIdleCallback', (self, args, native) => {
  apply(native, self, args);
  if (typeof args[0] === 'number') over(args[0]);
});

const encoded = () => tell('${IDLE.over}');
replace(HTMLCanvasElement.prototype, 'toBlob', (self, args, native) => {
  if (typeof args[0] !== 'function') return apply(native, self, args);
  args[0] = after(encoded, args[0]);
  apply(native, self, args);
  tell('${IDLE.requested}');
});
const { then } = Promise.prototype;
replace(OffscreenCanvas.prototype, 'convertToBlob', (self, args, native) => {
  const promise = apply(native, self, args);
  tell('${IDLE.requested}');
  apply(then, promise, [encoded, encoded]);
  return promise;
});
`;
