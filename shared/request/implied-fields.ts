import { isJsonObject } from '../contract/json-object.ts';
import { picturesIn } from '../contract/scrape/picture.ts';

/** A request with the fields that others imply: what needs a browser gets one. */
export function withImplied(input: unknown): unknown {
  if (!isJsonObject(input) || 'render_js' in input || 'mode' in input) return input;
  const needsBrowser = 'js_scenario' in input || 'capture' in input || picturesIn(input).length > 0;
  return needsBrowser ? { ...input, render_js: true } : input;
}
