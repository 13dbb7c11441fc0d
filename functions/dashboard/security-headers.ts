const YEARS_2_SECONDS = 63_072_000;

/** Allows scripts, styles and forms of this host only, and no framing by other sites. */
const POLICY = [
  "default-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "object-src 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** The same for a page whose script also calls another origin, and shows what came from there. */
export const policyWith = (origin: string) =>
  `${POLICY}; connect-src 'self' ${origin}; img-src 'self' blob:; frame-src blob:`;

/** Sent with every response. `Cache-Control` may be overridden. */
export const securityHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  // Without any referrer, browsers would send `Origin: null` with forms.
  'Referrer-Policy': 'same-origin',
  'Strict-Transport-Security': `max-age=${YEARS_2_SECONDS}`,
  'X-Content-Type-Options': 'nosniff',
} as const;
