// @ts-check
import { apply, replace } from './native.page.js';

/**
 * Chromium's override omits the platform in workers and the user agent in service workers.
 * @param {Record<'platform' | 'userAgent' | 'appVersion', string>} values
 */
export function overrideNavigator(values) {
  const { WorkerNavigator } = globalThis;
  if (!WorkerNavigator) return;
  for (const [name, value] of Object.entries(values)) {
    if (Reflect.get(navigator, name) === value) continue;
    replace(WorkerNavigator.prototype, name, (self, args, native) => {
      apply(native, self, args);
      return value;
    });
  }
}
