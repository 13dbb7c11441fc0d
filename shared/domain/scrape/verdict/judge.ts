import type { Page } from '../../../contract/scrape/page.ts';
import type { PageVerdict } from '../../../contract/scrape/verdict.ts';
import { wallIn } from './bot-walls.ts';
import { placeOf, type Signs, signsOf } from './signs.ts';

const PAYMENT_REQUIRED = 402;
const LOGIN =
  /(?:^|[/_.-])(?:log-?in|sign-?in|signin|sso|auth|authenticate|authorize|account\/begin)(?:$|[/_.-])/i;
const CONSENT_HOST = /^(?:consent|guce|privacy-?gate|cookiewall|myprivacy)\./i;
const CONSENT_PATH = /\/(?:consent|cookie-?wall|privacy-?gate|collectconsent)(?:$|[/?])/i;
/** Elements that are content without words. */
const SHOWN = /<(?:img|picture|video|audio|canvas|iframe|frame|svg|object|embed|input|textarea|select)\b/;
/** An application that a script would fill. */
const SHELL =
  /<(?:div|main|app-root)[^>]{0,200}(?:id=["']?(?:root|app|__next|__nuxt|___gatsby|svelte|q-app)["']?|data-reactroot)[^>]{0,200}>\s{0,200}<\//;
const SHELL_WORDS = 3;
const VISIBLE_ASCII = /^[\x20-\x21\x23-\x7e]{1,100}$/;

/** What a response is: the page itself, or something in its place. */
export function judge(page: Page, requested: string): PageVerdict {
  const signs = signsOf(page);
  if (signs.status === PAYMENT_REQUIRED) return { kind: 'payment_required', ...priceOf(page, signs) };
  const by = wallIn(signs);
  if (by !== undefined) return { kind: 'bot_wall', ...(by !== 'unknown' && { by }) };
  if (isConsentWall(page, requested)) return { kind: 'consent_wall' };
  if (isLoginWall(page, signs, requested)) return { kind: 'login_wall' };
  return { kind: isEmpty(page, signs) ? 'empty' : 'page' };
}

function isConsentWall({ url }: Page, requested: string): boolean {
  const [reached, asked] = [placeOf(url), placeOf(requested)];
  const isThere = ({ host, pathname }: Pick<URL, 'host' | 'pathname'>) =>
    CONSENT_HOST.test(host) || CONSENT_PATH.test(pathname);
  return isThere(reached) && !isThere(asked);
}

/** A page with a password field in the place of another. */
function isLoginWall({ url, status }: Page, { html, isSparse }: Signs, requested: string): boolean {
  const [reached, asked] = [placeOf(url), placeOf(requested)];
  const isMoved = reached.pathname !== asked.pathname || reached.host !== asked.host;
  const isLogin = ({ host, pathname }: typeof reached) => LOGIN.test(pathname) || LOGIN.test(host);
  const isAsked = isLogin(asked);
  if (isMoved && !isAsked && isLogin(reached)) return true;
  const isRefused = status === 401 || status === 403;
  return isRefused && isSparse && !isAsked && /type=["']?password/.test(html);
}

function isEmpty({ body, contentType = '' }: Page, { html, words }: Signs): boolean {
  if (body.byteLength === 0) return true;
  if (html === '' || !/html/i.test(contentType)) return false;
  if (words === 0) return !SHOWN.test(html);
  return words <= SHELL_WORDS && SHELL.test(html);
}

/** Cloudflare's header, or the body of the x402 protocol: https://www.x402.org */
function priceOf({ body, contentType = '' }: Page, { header }: Signs): Pick<PageVerdict, 'price'> {
  const price = header('crawler-price') || (contentType.includes('json') ? offered(body) : undefined);
  return price !== undefined && VISIBLE_ASCII.test(price) ? { price } : {};
}

function offered(body: Uint8Array): string | undefined {
  try {
    const { accepts } = JSON.parse(Buffer.from(body.subarray(0, 20_000)).toString()) as { accepts?: Offer[] };
    const [offer] = accepts ?? [];
    const amount = offer?.maxAmountRequired ?? offer?.amount ?? offer?.price;
    return amount === undefined ? undefined : [amount, offer?.asset].filter(Boolean).join(' ');
  } catch {
    return undefined;
  }
}

type Offer = { maxAmountRequired?: string; amount?: string; price?: string; asset?: string };
