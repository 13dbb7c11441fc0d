import { createHash } from 'node:crypto';

type Exit = {
  countryCode?: string | undefined;
  sessionId?: string | undefined;
};

/** Long enough to be unique, short enough for every vendor. */
const SESSION_LENGTH = 16;
/** An optional part of a template. An IPv6 address has no placeholder. */
const OPTIONAL = /\[([^[\]]*\{(country|session)\}[^[\]]*)\]/g;
const PLACEHOLDER = /\{(country|session)\}/g;

/**
 * Fills in a vendor's template: `{country}` in lower case, `{session}` as an id per organization. Parts in
 * square brackets are dropped if their placeholder has no value.
 */
export function premiumUpstreamUrl(
  template: string,
  { countryCode, sessionId }: Exit,
  owner: { orgId: string; scrapeId: string },
): string {
  const asked = {
    country: countryCode?.toLowerCase(),
    // The length prefix prevents a session id from imitating another organization.
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
