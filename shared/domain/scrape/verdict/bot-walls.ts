import { MAKERS } from './makers.ts';
import { DEMAND, REFUSAL, TITLE } from './phrases.ts';
import type { Signs } from './signs.ts';

/** Captchas, which forms of ordinary pages have too. */
const WIDGETS: readonly (readonly [by: string, mark: RegExp])[] = [
  ['turnstile', /cf-turnstile|challenges\.cloudflare\.com\/turnstile/],
  ['recaptcha', /g-recaptcha|recaptcha\/(?:api|enterprise)\.js/],
  ['hcaptcha', /h-captcha|hcaptcha\.com/],
  ['arkose', /arkoselabs\.com|funcaptcha/],
  ['geetest', /geetest/],
  ['friendly_captcha', /frc-captcha|friendlychallenge/],
];
/** Fields of a form that has another purpose than its captcha. */
const FIELD = /<textarea|<select|<input(?![^>]{0,300}type=["']?(?:hidden|submit|button|checkbox|image))/;
/** What a wall needs to let somebody through. */
const MEANS = /<(?:script|form|iframe|input)\b|http-equiv=["']?refresh/;
const FEW_WORDS = 80;
/** Errors of a server, or of the one behind it: a wall refuses with others. */
const FAULTS: readonly number[] = [400, 404, 410, 500, 502, 504];

/** The maker of the wall that a response is, `unknown` if it does not show. Undefined for anything else. */
export function wallIn(signs: Signs): string | undefined {
  const known = MAKERS.find(([, isIt]) => isIt(signs));
  if (known) return known[0];
  const { isSparse, says, title, html, words, status } = signs;
  if (!isSparse) return undefined;
  const isRefused = status >= 400 && !FAULTS.includes(status);
  const widget = WIDGETS.find(([, mark]) => mark.test(html));
  if (widget && !FIELD.test(html) && (isRefused || says(DEMAND))) return widget[0];
  if (isRefused && says(REFUSAL)) return 'unknown';
  return words < FEW_WORDS && TITLE.test(title) && MEANS.test(html) ? 'unknown' : undefined;
}
