import { createHash } from 'node:crypto';

type Exit = {
  /** ISO 3166 alpha-2. */
  countryCode?: string | undefined;
  sessionId?: string | undefined;
};

/** What goes into the placeholder of a session: enough to be nobody else's, short enough for every vendor. */
const SESSION_LENGTH = 16;
/** Part of a template that is left out when its placeholder has no value. An IPv6 address has no placeholder. */
const OPTIONAL = /\[([^[\]]*\{(country|session)\}[^[\]]*)\]/g;
const PLACEHOLDER = /\{(country|session)\}/g;

/**
 * The upstream URL for one scrape: `{country}` becomes the country in lower case, `{session}` an id that is the same for
 * the same session of the same organization, and of one scrape alone when no session was asked for. What stands in
 * square brackets around a placeholder is left out when its value was not asked for.
 */
export function premiumUpstreamUrl(
  template: string,
  { countryCode, sessionId }: Exit,
  owner: { orgId: string; scrapeId: string },
): string {
  const asked = {
    country: countryCode?.toLowerCase(),
    // Length first: no choice of session id makes two organizations the same.
    session: sessionId && digest(`${owner.orgId.length} ${owner.orgId} ${sessionId}`),
  };
  const always = { country: asked.country ?? '', session: asked.session ?? digest(owner.scrapeId) };
  return template
    .replace(OPTIONAL, (_, part: string, name: keyof typeof asked) => (asked[name] ? part : ''))
    .replace(PLACEHOLDER, (_, name: keyof typeof always) => always[name]);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, SESSION_LENGTH);
}
