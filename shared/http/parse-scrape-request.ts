import { ScrapeRequest } from '../contract/scrape-request.ts';
import { cookiesApart } from '../contract/target-headers.ts';
import { parseTargetUrl } from '../domain/target-url.ts';
import { AppError } from '../errors.ts';
import type { Call } from './call.ts';
import { explainIssue, invalidField, shortened, type Source } from './explain-issue.ts';
import { fieldSchemas } from './field-schemas.ts';
import { readJson } from './read-json.ts';

export type TargetPolicy = {
  /** `host:port` targets that may be scraped although private. */
  allow: readonly string[];
  /** Host names that are never a target. */
  refuse?: readonly string[];
  /** Whether there is a premium upstream to go out through. */
  hasPremiumProxy?: boolean;
};

/** The scrape request in a call's JSON body. Throws `invalid_request` and its like, naming the field. */
export function scrapeRequestFromBody(call: Call, policy: TargetPolicy): ScrapeRequest {
  const [parameter] = Object.keys(call.query);
  if (parameter !== undefined)
    throw invalidField(
      parameter,
      `Unknown parameter '${shortened(parameter)}'. The fields of a POST go in its body.`,
    );
  return checked(readJson(call), 'body', policy);
}

/** The scrape request in a call's query string: the same fields, numbers and booleans as text. */
export function scrapeRequestFromQuery(call: Call, policy: TargetPolicy): ScrapeRequest {
  const entries = Object.entries(call.query).map(([name, values = []]) => {
    if (values.length > 1)
      throw invalidField(name, `Parameter '${shortened(name)}' is given more than once.`);
    if (name === 'headers')
      throw invalidField(name, "Field 'headers' is only taken in the JSON body of a POST.");
    return [name, typed(name, values[0] ?? '')];
  });
  return checked(Object.fromEntries(entries), 'query', policy);
}

function checked(input: unknown, source: Source, policy: TargetPolicy): ScrapeRequest {
  const parsed = ScrapeRequest.safeParse(input);
  if (!parsed.success) throw explainIssue(parsed.error.issues, input, source);
  const { href } = parseTargetUrl(parsed.data.url, policy);
  if (parsed.data.premiumProxy && !policy.hasPremiumProxy) throw new AppError('premium_proxy_unavailable');
  return cookiesApart({ ...parsed.data, url: href });
}

const FLAGS: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };

/** A query parameter in its field's own type; text that does not fit stays, for the schema to complain of. */
function typed(name: string, text: string): unknown {
  const type = fieldSchemas[name]?.type;
  if (type === 'boolean') return FLAGS[text.toLowerCase()] ?? text;
  if (type === 'integer') return /^-?\d{1,9}$/.test(text) ? Number(text) : text;
  return text;
}
