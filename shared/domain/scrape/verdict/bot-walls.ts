import { MAKERS } from './makers.ts';
import type { Signs } from './signs.ts';

/** Demands for proof of being human, as on pages with a captcha. */
const DEMAND = any(
  /(?:are|re|verify|confirm|prove)(?: that)? (?:you|you're|you are|not)? ?(?:are |re )?(?:a |an )?(?:human|not a robot|a robot)/,
  /not a (?:ro)?bot|real person|(?:verifying|sure|know) you are (?:a )?(?:human|not)/,
  /unusual (?:traffic|activity)|security (?:check|verification)|automated (?:access|requests|queries|traffic)/,
  /complete the (?:captcha|challenge|security)|access (?:to this page )?(?:has been |is )?denied|you have been blocked/,
  /mensch sind|sie ein mensch|(?:kein|ein) roboter|echte person|sicherheits(?:über)?prüfung/,
  /(?:êtes|etes) (?:un )?humain|un robot|vérification de sécurité/,
  /(?:eres|es usted) (?:un )?humano|verificación de seguridad|não é um robô|é humano|sei umano/,
  /ロボットではない|人間である|あなたは人間|人机验证|安全验证|完成.{0,4}验证|не робот/,
);

/** Refusals, as pages with an error status make them. */
const REFUSAL = any(
  /(?:detected|noticed|notice|been) (?:an? )?(?:unusual|suspicious|automated) (?:traffic|activity)/,
  /unusual traffic|automated (?:access|requests|queries|traffic|tools)|automation tools/,
  /(?:verify|prove|confirm) (?:that )?you are (?:a )?human|checking (?:if the site connection is secure|your browser)/,
  /enable javascript and cookies to continue|access to this page has been denied|complete the security check/,
  /bot (?:detected|detection|activity)|identified as a bot|looks like a (?:ro)?bot|are you a robot|not a (?:ro)?bot/,
  /aus wie ein (?:ro)?bot|ungewöhnliche[nr]? (?:daten)?verkehr|automatisierte[nrs]? (?:zugriff|anfragen)/,
  /trafic inhabituel|tráfico inusual|tráfego incomum|異常なトラフィック|异常流量|访问被阻断|подозрительн\S{0,10} (?:трафик|активность)/,
);

/** Titles of walls that say little else. */
const TITLE = any(
  /^(?:just a moment|one moment, please|nur einen moment|un instant|un momento|um momento)(?:\.\.\.|…)?$/,
  /^(?:しばらくお待ちください|请稍候|请稍后|один момент)(?:\.\.\.|…)?$/,
  /^(?:checking your browser.*|(?:attention required!|please wait(?:\.\.\.|…)) \| cloudflare|robot check|are you (?:a robot|human)\??)$/,
  /^(?:please )?verify (?:that )?you are (?:a )?human$|^(?:human|bot|security) (?:check|verification)$/,
  /^(?:access to this page has been denied\.?|ddos-guard|captcha|sicherheits(?:über)?prüfung|安全验证|人机验证)$/,
  /^(?:making sure|checking) you(?:'re| are) not a bot!?$/,
);

function any(...patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => `(?:${source})`).join('|'));
}

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
/** The elements through which a visitor can pass a wall. */
const MEANS = /<(?:script|form|iframe|input)\b|http-equiv=["']?refresh/;
const FEW_WORDS = 80;
/** Errors of a server, or of its upstream: walls use other statuses. */
const FAULTS: readonly number[] = [400, 404, 410, 500, 502, 504];

/** The maker of a wall, or `unknown` if the response does not show it. Undefined if it is not a wall. */
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
