import { z } from 'zod';

/** https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2 */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
/** Visible ASCII, spaces and tabs arrive unchanged everywhere. A line break would begin a second header. */
const ONE_LINE = /^[\t\x20-\x7e]*$/;
/** As browsers take it, such as PHP's `a[b]`: visible ASCII but for `;` and `=`. */
const COOKIE_NAME = /^[!-:<>-~]+$/;
/** Zod silently drops `__proto__`. */
const COOKIE = /^\s*(?!__proto__\s*=)[!-:<>-~]+\s*=/;
/** The total that servers usually accept. */
const MAX_LENGTH = 16_384;
/** Hop-by-hop and framing headers: RFC 9110 section 7.6.1. */
const OWN =
  /^(connection|keep-alive|te|trailer|transfer-encoding|upgrade|host|content-length|set-cookie|cookie2|proxy-.*)$/i;

type Pairs = Record<string, string>;
const pairs = z.record(z.string(), z.string());

/** Headers for the target. Hop-by-hop and framing headers are rejected, and so are duplicate names. */
export const TargetHeaders = pairs.superRefine(
  refine((name, value, seen) => {
    if (!TOKEN.test(name)) return 'not a header name';
    if (OWN.test(name)) return 'this header cannot be set';
    if (!ONE_LINE.test(value)) return 'not a header value';
    const key = name.toLowerCase();
    if (seen.has(key)) return 'given more than once';
    seen.add(key);
    return key === 'cookie' ? notCookies(value) : undefined;
  }),
);

const cookieText = z
  .string()
  .superRefine((text, context) => {
    const message = notCookies(text);
    if (message) context.addIssue({ code: 'custom', message });
  })
  .meta({ examples: ['theme=dark; lang=de'] });

/** Cookies for the target's host by name, read from an object or from text such as `a=1; b=2`. */
export const Cookies = z.codec(
  z.union([pairs, cookieText], { error: 'expected an object of strings, or text such as a=1; b=2' }),
  pairs.superRefine(
    refine((name, value) => {
      if (!COOKIE_NAME.test(name)) return 'not a cookie name';
      return ONE_LINE.test(value) && !value.includes(';') ? undefined : 'not a cookie value';
    }),
  ),
  {
    decode: (cookies) => (typeof cookies === 'string' ? parseCookies(cookies) : cookies),
    encode: (all) => all,
  },
);

/** Moves a `Cookie` header to `cookies`, which only the host gets. `cookies` wins on duplicate names. */
export function cookiesApart<T extends { headers?: Pairs | undefined; cookies?: Pairs | undefined }>(
  request: T,
): T {
  const { headers = {}, cookies } = request;
  const cookie = Object.entries(headers).find(([name]) => name.toLowerCase() === 'cookie');
  if (!cookie) return request;
  const others = Object.entries(headers).filter((header) => header[0] !== cookie[0]);
  return {
    ...request,
    headers: Object.fromEntries(others),
    cookies: { ...parseCookies(cookie[1]), ...cookies },
  };
}

/** https://www.rfc-editor.org/rfc/rfc6265#section-4.2.1 */
function parseCookies(text: string): Pairs {
  return Object.fromEntries(
    cookiePairs(text).map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [name.trim(), value.join('=').trim()];
    }),
  );
}

const cookiePairs = (text: string) => text.split(';').filter((pair) => pair.trim() !== '');

/** Reports the position only: a malformed cookie may be a secret. */
function notCookies(text: string): string | undefined {
  const place = cookiePairs(text).findIndex((pair) => !COOKIE.test(pair));
  return place === -1 ? undefined : `cookie ${place + 1} is not name=value`;
}

function refine(objection: (name: string, value: string, seen: Set<string>) => string | undefined) {
  return (all: Pairs, context: z.RefinementCtx) => {
    const entries = Object.entries(all);
    // Checked first, to bound the time that the entries take.
    if (entries.flat().join('').length > MAX_LENGTH) {
      context.addIssue({ code: 'custom', message: `longer than ${MAX_LENGTH} characters in all` });
      return;
    }
    const seen = new Set<string>();
    for (const [name, value] of entries) {
      const message = objection(name, value, seen);
      if (message) context.addIssue({ code: 'custom', path: [name], message });
    }
  };
}
