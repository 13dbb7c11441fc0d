import { z } from 'zod';

/** https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2 */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
/** Visible ASCII, spaces and tabs: all that arrives alike everywhere. No line break, which would begin a second header. */
const ONE_LINE = /^[\t\x20-\x7e]*$/;
/** What servers take as a rule, all together. */
const MAX_LENGTH = 16_384;
/** They belong to one connection, or say where and how long the request is: RFC 9110 section 7.6.1. */
const OWN = /^(connection|keep-alive|te|trailer|transfer-encoding|upgrade|host|content-length|proxy-.*)$/i;

type Pairs = Record<string, string>;
const pairs = z.record(z.string(), z.string());

/** Headers for the target. Hop-by-hop and framing ones are refused, and so is a name given twice. */
export const TargetHeaders = pairs.superRefine(
  refine((name, value, headers) => {
    if (!TOKEN.test(name)) return 'not a header name';
    if (OWN.test(name)) return 'this header cannot be set';
    if (!ONE_LINE.test(value)) return 'not a header value';
    const isRepeated = Object.keys(headers).filter((other) => other.toLowerCase() === name.toLowerCase());
    return isRepeated.length > 1 ? 'given more than once' : undefined;
  }),
);

/** Cookies for the target's host by name, read from an object or from text such as `a=1; b=2`. */
export const Cookies = z.codec(
  z.union([pairs, z.string().meta({ examples: ['theme=dark; lang=de'] })], {
    error: 'expected an object of strings, or text such as a=1; b=2',
  }),
  pairs.superRefine(
    refine((name, value) => {
      if (!TOKEN.test(name)) return 'not a cookie name';
      return ONE_LINE.test(value) && !value.includes(';') ? undefined : 'not a cookie value';
    }),
  ),
  {
    decode: (cookies) => (typeof cookies === 'string' ? parseCookies(cookies) : cookies),
    encode: (all) => all,
  },
);

/** Moves a `Cookie` header to the cookies, so that it goes where cookies go; those that bear a name already stay. */
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
  const cookies = text.split(';').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    cookies.map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [name.trim(), value.join('=').trim()];
    }),
  );
}

function refine(objection: (name: string, value: string, all: Pairs) => string | undefined) {
  return (all: Pairs, context: z.RefinementCtx) => {
    const entries = Object.entries(all);
    for (const [name, value] of entries) {
      const message = objection(name, value, all);
      if (message) context.addIssue({ code: 'custom', path: [name], message });
    }
    if (entries.flat().join('').length > MAX_LENGTH) {
      context.addIssue({ code: 'custom', message: `longer than ${MAX_LENGTH} characters in all` });
    }
  };
}
