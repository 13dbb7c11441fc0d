import { z } from 'zod';
import { schemaOf } from '../contract/json-schema.ts';
import {
  BatchItem,
  BatchRequest,
  MAX_BATCH_REQUESTS,
  TOO_MANY_REQUESTS,
  UploadRequest,
} from '../contract/batches/batch-request.ts';
import { modeIssues } from '../contract/scrape/mode.ts';
import { cookiesApart } from '../contract/scrape/target-headers.ts';
import { AppError, type Fault } from '../errors.ts';
import { assertFewValues, countValues } from './assert-few-values.ts';
import { distinct, explainIssues } from './explain-issues.ts';
import { invalidRequest, MAX_FAULTS, pathText } from './fault.ts';
import { withImplied } from './implied-fields.ts';
import {
  assertOffered,
  receiverOf,
  type TargetPolicy,
  targetOf,
  withLadder,
} from './parse-scrape-request.ts';
import { readLargeJson, type SentBody } from './read-json.ts';
import { assertBatchFits, lineFault, lineOf, storageFault } from './storable.ts';

const MAX_BODY_BYTES = 2_000_000;
/** Checking stops after this many faults: twenty for each of a thousand requests. */
const MAX_ISSUES = 20_000;

/** A batch as a caller wants it, with defaults filled in. */
export type WantedBatch = {
  items: BatchItem[];
  /** The same as lines of an upload without defaults, each with its line feed. */
  lines: string[];
  tags: string[] | undefined;
  /** Seconds. */
  completeWithin: number | undefined;
  maxCredits: number | undefined;
  webhook: string | undefined;
};

/** The same whose requests are uploaded. */
export type WantedUpload = Omit<WantedBatch, 'items' | 'lines'> & {
  /** As sent. */
  defaults: Record<string, unknown>;
  contentLength?: number | undefined;
};

const schema = schemaOf(BatchRequest);
const Fields = z.record(z.string(), z.unknown());
const Requests = z.array(z.unknown()).min(1).max(MAX_BATCH_REQUESTS, TOO_MANY_REQUESTS);
/** Everything but the requests, which are checked with their defaults. */
const Frame = BatchRequest.extend({ defaults: Fields.optional(), requests: Requests });
/** What can be checked even if the rest of the frame is wrong. */
const Parts = z.object({ defaults: Fields.catch({}), requests: Requests.catch([]) });

/** The batch in a JSON body of up to 2 MB. Throws `invalid_request` with the faults of every request. */
export function batchRequestFromBody(call: SentBody, policy: TargetPolicy): WantedBatch | WantedUpload {
  const input = readLargeJson(call, MAX_BODY_BYTES);
  assertFewInEach(input);
  if (typeof input === 'object' && input !== null && 'input' in input) return uploadRequest(input, policy);
  const { data, error } = Frame.safeParse(input);
  const read = readItems(Parts.safeParse(input).data, policy);
  const receiver = receiverOf(input, policy);
  const issues = [...(error?.issues ?? []), ...read.flatMap((each) => each.issues)];
  const refusals = [
    ...(receiver instanceof AppError ? [receiver] : []),
    ...read.flatMap(({ refusal }) => refusal ?? []),
  ];
  const reading = { input, source: 'body', schema } as const;
  // A fault of the defaults affects many requests.
  const faults = distinct([...explainIssues(issues, reading), ...refusals.map(faultOf)]);
  const [refusal, ...more] = refusals;
  if (refusal && more.length + issues.length === 0) throw refusal;
  if (!data || faults.length > 0) throw invalidBatch(faults);
  const items = read.flatMap(({ item }) => item ?? []);
  const lines = read.flatMap(({ line }) => line ?? []);
  assertBatchFits(lines);
  for (const [index, item] of items.entries())
    assertOffered(item, policy, data.defaults?.['extract_schema'] ? 'defaults.' : `requests[${index}].`);
  const { tags, complete_within: completeWithin, max_credits: maxCredits } = data;
  const webhook = receiver instanceof URL ? receiver.href : data.webhook;
  return { items, lines, tags, completeWithin, maxCredits, webhook };
}

function assertFewInEach(input: unknown): void {
  if (typeof input !== 'object' || input === null) return;
  const { requests, ...frame } = input as Fields;
  assertFewValues(frame, 'batch without its requests');
  const each: unknown[] = Array.isArray(requests) ? requests : [requests];
  // With the defaults, as in the line that is kept of it.
  const { defaults } = Parts.safeParse(input).data ?? { defaults: {} };
  const shared = Object.entries(defaults).map(([name, value]) => ({ name, values: countValues(value) }));
  each.forEach((request, index) => {
    const own = Fields.safeParse(request).data ?? {};
    const besides = shared.reduce(
      (sum, { name, values }) => sum + (Object.hasOwn(own, name) ? 0 : values),
      0,
    );
    assertFewValues(request, 'request', { within: ['requests', index], besides });
  });
}

function uploadRequest(input: object, policy: TargetPolicy): WantedUpload {
  const { data, error } = UploadRequest.safeParse(input);
  const reading = { input, source: 'body', schema: schemaOf(UploadRequest) } as const;
  const receiver = receiverOf(input, policy);
  const refusals = receiver instanceof AppError ? [receiver] : [];
  const faults = [...explainIssues(error?.issues ?? [], reading), ...refusals.map(faultOf)];
  if (receiver instanceof AppError && faults.length === 1) throw receiver;
  if (!data || faults.length > 0) throw invalidBatch(faults);
  const {
    tags,
    complete_within: completeWithin,
    max_credits: maxCredits,
    content_length: contentLength,
  } = data;
  const { defaults = {} } = z.object({ defaults: Fields.optional() }).parse(input);
  const refusal = storageFault(defaults, 'defaults');
  if (refusal) throw refusal;
  const webhook = receiver instanceof URL ? receiver.href : data.webhook;
  return { defaults, tags, completeWithin, maxCredits, webhook, contentLength };
}

type Issue = z.core.$ZodIssue;
type Fields = z.infer<typeof Fields>;
type Sent = { index: number; own: Fields; defaults: Fields };
type Read = { item?: BatchItem; line?: string; issues: Issue[]; refusal?: AppError };

function readItems(parts: z.infer<typeof Parts> | undefined, policy: TargetPolicy): Read[] {
  if (!parts) return [];
  const { url: _url, custom_id: _customId, ...defaults } = parts.defaults;
  const read: Read[] = [{ issues: notOfAll(parts.defaults) }];
  let found = 0;
  for (const [index, sent] of parts.requests.entries()) {
    const { data: own, error } = Fields.safeParse(sent);
    const item: Read = own
      ? readItem({ index, own, defaults }, policy)
      : { issues: error.issues.map((issue) => ({ ...issue, path: ['requests', index] })) };
    read.push(item);
    found += item.issues.length;
    // Each bad default counts as a fault of each request.
    if (found > MAX_ISSUES) break;
  }
  return read;
}

function readItem({ index, own, defaults }: Sent, policy: TargetPolicy): Read {
  const merged = { ...defaults, ...own };
  const { data, error } = BatchItem.safeParse(withImplied(merged));
  const within = ['requests', index];
  const placeOf = (name: PropertyKey | undefined) =>
    name === undefined || Object.hasOwn(own, name) || !Object.hasOwn(defaults, name) ? within : ['defaults'];
  const issues = [...modeIssues(merged), ...(error?.issues ?? [])].flatMap((issue): Issue[] =>
    issue.code === 'unrecognized_keys' && issue.path.length === 0
      ? issue.keys.map((key) => ({ ...issue, keys: [key], path: placeOf(key) }))
      : [{ ...issue, path: [...placeOf(issue.path[0]), ...issue.path] }],
  );
  const param = pathText([...within, 'url']);
  const target = targetOf(own, policy, param);
  if (target instanceof AppError) {
    const { message, fields } = target;
    return { issues, refusal: new AppError(target.code, { message, fields: { ...fields, param } }) };
  }
  if (!data || !target) return { issues };
  const item = withLadder(cookiesApart({ ...data, url: target.href }), policy);
  const line = lineOf(merged);
  const refusal = lineFault(line, pathText(within));
  return refusal ? { issues, refusal } : { item, line, issues };
}

/** Faults of fields that a request may have, but not `defaults`. */
function notOfAll(defaults: Sent['defaults']): Issue[] {
  const keys = ['url', 'custom_id'].filter((name) => Object.hasOwn(defaults, name));
  return keys.length > 0
    ? [{ code: 'unrecognized_keys', keys, path: ['defaults'], message: '', input: defaults }]
    : [];
}

function faultOf({ message, fields }: AppError): Fault {
  return { param: String(fields['param']), message };
}

function invalidBatch(faults: readonly Fault[]): AppError {
  const [first, ...others] = eachRequestFirst(faults);
  if (first === undefined) throw new Error('An invalid batch has a fault');
  return invalidRequest([first, ...others], { most: MAX_FAULTS + MAX_BATCH_REQUESTS });
}

/** One fault of each request before the second of any, so that a long list names every bad request. */
function eachRequestFirst(faults: readonly Fault[]): Fault[] {
  const named = new Set<string>();
  const isFirst = faults.map(({ param = '' }) => {
    const place = /^requests\[\d+\]/.exec(param)?.[0] ?? param;
    return !named.has(place) && named.add(place);
  });
  const those = (wanted: boolean) => faults.filter((_, index) => Boolean(isFirst[index]) === wanted);
  return [...those(true), ...those(false)];
}
