import { z } from 'zod';
import { schemaOf } from '../contract/json-schema.ts';
import { MapRequest } from '../contract/crawls/map.ts';
import { JobRequest } from '../contract/jobs/job-request.ts';
import { ONLY_IN_JSON, ScrapeRequest } from '../contract/scrape/scrape-request.ts';
import { extractionCredits } from '../contract/scrape/extract-schema.ts';
import { modeIssues, PRICES } from '../contract/scrape/mode.ts';
import { cookiesApart } from '../contract/scrape/target-headers.ts';
import { parseTargetUrl, parseWebhookUrl } from '../domain/scrape/target/target-url.ts';
import { AppError, type Fault, toAppError } from '../errors.ts';
import { explainIssues } from './explain-issues.ts';
import { invalidRequest, shortened, type Source } from './fault.ts';
import { fieldSchemas } from './field-schemas.ts';
import { withImplied } from './implied-fields.ts';
import { type SentBody, MAX_BODY_BYTES, readJson, readLargeJson } from './read-json.ts';
import { storageFault } from './storable.ts';
import { assertFewValues } from './assert-few-values.ts';

type SentQuery = { query: Readonly<Record<string, readonly string[] | undefined>> };

export type TargetPolicy = {
  /** `host:port` targets that may be scraped although private. */
  allow: readonly string[];
  refuse?: readonly string[];
  hasPremiumProxy?: boolean;
  /** Whether there is a model for `extract_schema`. */
  hasModel?: boolean;
};

/** The scrape request in a JSON body. Throws `invalid_request` and other 4xx that name the field. */
export function scrapeRequestFromBody(call: SentBody, policy: TargetPolicy): ScrapeRequest {
  return checkedRequest(ScrapeRequest, { input: readScrape(call), source: 'body' }, [], policy);
}

/** The same for a job, which takes more fields. */
export function jobRequestFromBody(call: SentBody, policy: TargetPolicy): JobRequest {
  const input = readScrape(call);
  const receiver = receiverOf(input, policy);
  const isRefused = receiver instanceof AppError;
  const faults = isRefused ? [{ param: 'webhook', message: receiver.message }] : [];
  try {
    const request = checkedRequest(JobRequest, { input, source: 'body' }, faults, policy);
    const refusal = storageFault(request);
    if (refusal) throw refusal;
    return receiver instanceof URL ? { ...request, webhook: receiver.href } : request;
  } catch (error) {
    // Alone, it says its reason too.
    throw isRefused && error instanceof AppError && error.errors.length === 0 ? receiver : error;
  }
}

/** The `webhook` of a request. Undefined for the id of an endpoint, and if the schema reports a problem. */
export function receiverOf(input: unknown, policy: TargetPolicy): URL | AppError | undefined {
  const webhook = typeof input === 'object' && input !== null && 'webhook' in input ? input.webhook : '';
  if (typeof webhook !== 'string' || webhook === '' || z.uuid().safeParse(webhook).success) return undefined;
  try {
    return parseWebhookUrl(webhook, policy, 'webhook');
  } catch (error) {
    return toAppError(error);
  }
}

/** The scrape request in a query string: the same fields, numbers and booleans as text. */
export function scrapeRequestFromQuery(call: SentQuery, policy: TargetPolicy): ScrapeRequest {
  const faults = Object.entries(call.query).flatMap(([name, values]) => queryFault(name, values ?? []));
  const refused = new Set(faults.map(({ param }) => param));
  const entries = Object.entries(call.query)
    .filter(([name]) => !refused.has(shortened(name)) || name === 'url')
    .map(([name, [text = ''] = []]) => [name, typed(name, text)]);
  return checkedRequest(
    ScrapeRequest,
    { input: Object.fromEntries(entries), source: 'query' },
    faults,
    policy,
  );
}

function queryFault(name: string, values: readonly string[]): Fault[] {
  const param = shortened(name);
  if (values.length > 1) return [{ param, message: `Parameter '${param}' is given more than once.` }];
  if (!ONLY_IN_JSON.includes(name)) return [];
  return [{ param, message: `Field '${name}' is only accepted in the JSON body of a POST.` }];
}

type Read = { input: unknown; source: Source };

/** Reports all faults together, so that a caller can correct them together. */
export function checkedRequest<T extends ScrapeRequest>(
  type: z.ZodType<T>,
  { input, source }: Read,
  before: readonly Fault[],
  policy: TargetPolicy,
): T {
  const { data, error } = type.safeParse(withImplied(input));
  const found = [...modeIssues(input), ...(error?.issues ?? [])];
  const explained = explainIssues(found, { input, source, schema: schemaOf(type) });
  const target = soundTarget(input, explained, before, policy);
  if (!data) throw new Error('A request without faults is valid');
  assertOffered(data, policy);
  return withLadder(cookiesApart({ ...data, url: target.href }), policy);
}

/** Throws an error for what the stage does not have. `within` is the path of the fields. */
export function assertOffered(
  { premiumProxy, extractSchema }: Pick<ScrapeRequest, 'premiumProxy' | 'extractSchema'>,
  policy: TargetPolicy,
  within = '',
): void {
  if (premiumProxy && !policy.hasPremiumProxy) throw new AppError('premium_proxy_unavailable');
  if (!extractSchema || policy.hasModel) return;
  throw new AppError('model_not_configured', { fields: { param: `${within}extract_schema` } });
}

/** The request to map a site in a JSON body. Throws `invalid_request` and other 4xx that name the field. */
export function mapRequestFromBody(call: SentBody, policy: TargetPolicy): MapRequest {
  return mapRequestFrom(readJson(call), policy);
}

/** The same in JSON that was read. */
export function mapRequestFrom(input: unknown, policy: TargetPolicy): MapRequest {
  const { data, error } = MapRequest.safeParse(input);
  const reading = { input, source: 'body', schema: schemaOf(MapRequest) } as const;
  const target = soundTarget(input, explainIssues(error?.issues ?? [], reading), [], policy);
  if (!data) throw new Error('A request without faults is valid');
  return { ...data, url: target.href };
}

/** The URL of a request without faults. Throws all that there are. */
function soundTarget(
  input: unknown,
  explained: readonly Fault[],
  before: readonly Fault[],
  policy: TargetPolicy,
): URL {
  // A field that is refused is not required as well.
  const issues = explained.filter(({ param }) => !before.some((fault) => fault.param === param));
  const target = targetOf(input, policy);
  const isUrlExplained = [...before, ...issues].some(({ param }) => param === 'url' || param === undefined);
  const refusal = target instanceof AppError && !isUrlExplained ? target : undefined;
  const [first, ...others] = [...before, ...issues];
  if (first)
    throw invalidRequest([
      first,
      ...others,
      ...(refusal ? [{ param: 'url', message: refusal.message }] : []),
    ]);
  if (refusal) throw refusal;
  if (!(target instanceof URL)) throw new Error('A request without faults has a URL');
  return target;
}

/** A request with `mode` ends below the premium rungs where there is no premium proxy. */
export function withLadder<R extends ScrapeRequest>(request: R, { hasPremiumProxy }: TargetPolicy): R {
  if (request.mode === undefined || hasPremiumProxy) return request;
  const most = PRICES.rendered + extractionCredits(request);
  return { ...request, maxCredits: Math.min(request.maxCredits ?? Infinity, most) };
}

/** The target of a request; undefined if the schema already reports a problem with the URL. */
export function targetOf(input: unknown, policy: TargetPolicy, param = 'url'): URL | AppError | undefined {
  const url = typeof input === 'object' && input !== null && 'url' in input ? input.url : undefined;
  if (typeof url !== 'string') return undefined;
  try {
    return parseTargetUrl(url, policy, param);
  } catch (error) {
    return toAppError(error);
  }
}

const FLAGS: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };

/** A query parameter in its field's own type; text that does not fit stays, so that the schema names it. */
function typed(name: string, text: string): unknown {
  const type = fieldSchemas[name]?.type;
  if (type === 'boolean') return FLAGS[text.toLowerCase()] ?? text;
  if (type === 'integer') return /^-?\d{1,9}$/.test(text) ? Number(text) : text;
  return text;
}

/** A target's body of 256 KiB may be six times as long in JSON, if all of it is escaped. */
const MAX_WHOLE_BYTES = 2_000_000;

/** The JSON of a scrape request: 256 KiB at most, not counting its `body`. Throws what `readJson` throws. */
function readScrape(call: SentBody): unknown {
  const { body: sent = '' } = call;
  if (Buffer.byteLength(sent) <= MAX_BODY_BYTES || !sent.includes('"body"')) return readJson(call);
  const input = readLargeJson(call, MAX_WHOLE_BYTES);
  assertFewValues(input, 'request body');
  const others = JSON.stringify(input, (name, value: unknown) => (name === 'body' ? undefined : value));
  if (Buffer.byteLength(others) > MAX_BODY_BYTES) throw new AppError('request_too_large');
  return input;
}
