import { picturesIn } from '../contract/scrape/picture.ts';

/** A request with the fields that others imply: what needs a browser gets one. */
export function withImplied(input: unknown): unknown {
  const isRequest = typeof input === 'object' && input !== null && !Array.isArray(input);
  if (!isRequest || 'render_js' in input || 'mode' in input) return input;
  const needsBrowser = 'js_scenario' in input || 'capture' in input || picturesIn(input).length > 0;
  return needsBrowser ? { ...input, render_js: true } : input;
}
