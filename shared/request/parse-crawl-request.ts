import type { z } from 'zod';
import { schemaOf } from '../contract/json-schema.ts';
import { BatchItem } from '../contract/batches/batch-request.ts';
import {
  CrawlBody,
  CrawlFrame,
  CrawlRequest,
  MAX_SEED_LENGTH,
  pageFieldNames,
} from '../contract/crawls/crawl-request.ts';
import { isJsonObject } from '../contract/json-object.ts';
import { modeIssues } from '../contract/scrape/mode.ts';
import { cookiesApart } from '../contract/scrape/target-headers.ts';
import { parseTargetUrl } from '../domain/scrape/target/target-url.ts';
import { AppError, type Fault, toAppError } from '../errors.ts';
import { distinct, explainIssues } from './explain-issues.ts';
import { invalidRequest } from './fault.ts';
import { withImplied } from './implied-fields.ts';
import { assertOffered, receiverOf, type TargetPolicy, withLadder } from './parse-scrape-request.ts';
import { readJson, type SentBody } from './read-json.ts';
import { storageFault } from './storable.ts';

/** A crawl as a caller wants it, with defaults filled in. */
export type WantedCrawl = {
  request: CrawlRequest;
  /** How its first page is requested, with the defaults of a scrape. */
  item: BatchItem;
  tags: string[] | undefined;
  webhook: string | undefined;
};

type Issue = z.core.$ZodIssue;
type Fields = Readonly<Record<string, unknown>>;

const schema = schemaOf(CrawlBody);

/** The crawl in a JSON body. Throws `invalid_request` with every fault, and other 4xx that name the field. */
export function crawlRequestFromBody(call: SentBody, policy: TargetPolicy): WantedCrawl {
  const input = readJson(call);
  const { data, error } = CrawlFrame.safeParse(input);
  const seeds = seedsOf(input).map(({ param, text }) => seedAt(text, policy, param));
  const receiver = receiverOf(input, policy);
  const refusals = [...seeds, receiver].filter((each) => each instanceof AppError);
  const page = readPage(input);
  const issues = [...(error?.issues ?? []), ...page.issues];
  const explained = explainIssues(issues, { input, source: 'body', schema });
  const faults = distinct([...explained, ...refusals.map(faultOf)]);
  const [refusal, ...more] = refusals;
  if (refusal && more.length + explained.length === 0) throw refusal;
  const [first, ...others] = faults;
  if (first) throw invalidRequest([first, ...others]);
  const urls = [...new Set(seeds.flatMap((seed) => (seed instanceof URL ? seed.href : [])))];
  const [url] = urls;
  if (!data || !page.item || url === undefined) throw new Error('A request without faults is valid');
  assertOffered(page.item, policy, 'request.');
  const request = stored(data, urls);
  const tooLarge = storageFault(request);
  if (tooLarge) throw tooLarge;
  const item = withLadder(cookiesApart({ ...page.item, url }), policy);
  const webhook = receiver instanceof URL ? receiver.href : data.webhook;
  return { request, item, tags: data.tags, webhook };
}

/** How a page of a stored crawl is requested. */
export function pageRequestOf({ urls: [url], request }: CrawlRequest, policy: TargetPolicy): BatchItem {
  return withLadder(cookiesApart(BatchItem.parse(withImplied({ ...request, url }))), policy);
}

/** The URLs to begin at by their places, unless the schema reports a problem with them. */
function seedsOf(input: unknown): { param: string; text: string }[] {
  const { url, urls } = (typeof input === 'object' && input !== null ? input : {}) as Fields;
  const many = Array.isArray(urls) ? (urls as unknown[]) : [];
  return [{ param: 'url', text: url }, ...many.map((text, at) => ({ param: `urls[${at}]`, text }))].flatMap(
    ({ param, text }) =>
      typeof text === 'string' && text.length > 0 && text.length <= MAX_SEED_LENGTH ? { param, text } : [],
  );
}

function seedAt(text: string, policy: TargetPolicy, param: string): URL | AppError {
  try {
    const url = parseTargetUrl(text, policy, param);
    url.hash = '';
    if (url.href.length <= MAX_SEED_LENGTH) return url;
    const message = `Invalid value for '${param}': percent-encoded, it has more than ${MAX_SEED_LENGTH} characters.`;
    return new AppError('invalid_request', { message, fields: { param } });
  } catch (error) {
    const { code, message, fields } = toAppError(error);
    return new AppError(code, { message, fields: { ...fields, param } });
  }
}

/** Takes the place of the URLs that the crawl will find. */
const ANY_URL = 'https://example.com/';

/** The fields of each page, checked together; their issues have their path in the crawl. */
function readPage(input: unknown): { item?: BatchItem; issues: Issue[] } {
  const { request: sent = {} } = (typeof input === 'object' && input !== null ? input : {}) as Fields;
  // The frame reports what is no object.
  if (!isJsonObject(sent)) return { issues: [] };
  const keys = Object.keys(sent).filter((name) => !pageFieldNames.includes(name));
  const known = Object.fromEntries(Object.entries(sent).filter(([name]) => !keys.includes(name)));
  const { data, error } = BatchItem.safeParse(withImplied({ ...known, url: ANY_URL }));
  const path = ['request'];
  const unknown: Issue[] =
    keys.length > 0 ? [{ code: 'unrecognized_keys', keys, path, message: '', input: { ...sent } }] : [];
  const found = [...modeIssues(known), ...(error?.issues ?? [])];
  const issues = [...unknown, ...found.map((issue) => ({ ...issue, path: [...path, ...issue.path] }))];
  return data ? { item: data, issues } : { issues };
}

function faultOf({ message, fields }: AppError): Fault {
  return { param: String(fields['param']), message };
}

function stored(frame: CrawlFrame, urls: string[]): CrawlRequest {
  const { url: _url, tags: _tags, webhook: _webhook, ...fields } = frame;
  return CrawlRequest.parse({ ...fields, urls, allow_hosts: frame.allow_hosts.map(normalizedHost) });
}

/** In lower case, as URLs are written. */
function normalizedHost(pattern: string): string {
  const wildcard = pattern.startsWith('*.') ? '*.' : '';
  return wildcard + new URL(`https://${pattern.slice(wildcard.length)}`).host;
}
