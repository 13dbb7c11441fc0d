import { closest, distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { ScrapeRequest, scrapeFields } from '../contract/scrape-request.ts';
import { cookiesApart } from '../contract/target-headers.ts';
import { parseTargetUrl } from '../domain/target-url.ts';
import { AppError } from '../errors.ts';
import type { Call } from './call.ts';

const MAX_BODY_BYTES = 256 * 1_024;
/** Further off than this, a field name is no misspelling. */
const MAX_TYPOS = 3;

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
  if (!/^application\/json *(;|$)/i.test(call.headers['content-type'] ?? '')) {
    throw new AppError('unsupported_media_type');
  }
  if (Buffer.byteLength(call.body ?? '') > MAX_BODY_BYTES) throw new AppError('request_too_large');
  return checked(parseJson(call.body ?? ''), policy);
}

/** The scrape request in a call's query string: the same fields, numbers and booleans as text. */
export function scrapeRequestFromQuery(call: Call, policy: TargetPolicy): ScrapeRequest {
  const entries = Object.entries(call.query).map(([name, values = []]) => {
    if (values.length > 1) throw invalid(name, `Parameter '${name}' is given more than once.`);
    if (name === 'headers') throw invalid(name, "Field 'headers' is only taken in the JSON body of a POST.");
    return [name, typed(name, values[0] ?? '')];
  });
  return checked(Object.fromEntries(entries), policy);
}

function checked(input: unknown, policy: TargetPolicy): ScrapeRequest {
  const parsed = ScrapeRequest.safeParse(input);
  if (!parsed.success) throw explained(parsed.error.issues[0], input);
  const { href } = parseTargetUrl(parsed.data.url, policy);
  if (parsed.data.premiumProxy && !policy.hasPremiumProxy) throw new AppError('premium_proxy_unavailable');
  return cookiesApart({ ...parsed.data, url: href });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError('invalid_request', { message: 'The request body is not valid JSON.', cause });
  }
}

const FLAGS: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };

/** A query parameter in its field's own type; text that does not fit stays, for the schema to complain of. */
function typed(name: string, text: string): unknown {
  const type = fieldTypes[name];
  if (type === 'boolean') return FLAGS[text.toLowerCase()] ?? text;
  if (type === 'integer') return /^-?\d{1,9}$/.test(text) ? Number(text) : text;
  return text;
}

const fieldTypes: Readonly<Record<string, unknown>> = Object.fromEntries(
  Object.entries(scrapeFields).map(([name, field]) => [name, z.toJSONSchema(field, { io: 'input' }).type]),
);

function explained(issue: z.core.$ZodIssue | undefined, input: unknown): AppError {
  if (issue?.code === 'unrecognized_keys') return unknownField(issue.keys[0] ?? '');
  const param = String(issue?.path[0] ?? '');
  if (param === '')
    return new AppError('invalid_request', { message: 'The request body must be a JSON object.' });
  const isMissing = !Object.hasOwn(input as object, param);
  if (isMissing) return invalid(param, `Field '${param}' is required.`);
  const problem = (issue?.message ?? 'not valid').replace(/^Invalid (input|option): /, '');
  return invalid(param, `Invalid value for '${issue?.path.join('.')}': ${problem}.`);
}

function unknownField(name: string): AppError {
  const nearest = closest(name, Object.keys(scrapeFields));
  const hint = distance(name, nearest) <= MAX_TYPOS ? ` Did you mean '${nearest}'?` : '';
  return invalid(name, `Unknown field '${name}'.${hint}`);
}

function invalid(param: string, message: string): AppError {
  return new AppError('invalid_request', { message, fields: { param } });
}
