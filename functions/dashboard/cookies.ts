import { LIFETIME_MS } from '../../shared/domain/people/session.ts';
import type { PageCall } from './page-call.ts';

/** A session, and a visitor's unfinished sign-up or reset. */
export type CookieName = 'session' | 'visit';

const HOUR_SECONDS = 3_600;
const LASTS_SECONDS: Readonly<Record<CookieName, number>> = {
  session: LIFETIME_MS / 1_000,
  visit: HOUR_SECONDS,
};

/** The prefix binds it to this host. https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis */
const fullName = ({ isLocal }: PageCall, name: CookieName) => `${isLocal ? '' : '__Host-'}sitefetch-${name}`;

export function readCookie(call: PageCall, name: CookieName): string | undefined {
  return call.cookies.get(fullName(call, name));
}

/** A `Set-Cookie` header. An empty value removes the cookie. */
export function cookie(call: PageCall, name: CookieName, value: string): string {
  const age = value === '' ? 0 : LASTS_SECONDS[name];
  const attributes = [
    'Path=/',
    `Max-Age=${age}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(call.isLocal ? [] : ['Secure']),
  ];
  return [`${fullName(call, name)}=${value}`, ...attributes].join('; ');
}
