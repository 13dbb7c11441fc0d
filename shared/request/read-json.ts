import { AppError, type Fault } from '../errors.ts';
import { assertFewValues } from './assert-few-values.ts';
import { invalidRequest, MAX_FAULTS, pathText } from './fault.ts';
import { requestSchema } from './field-schemas.ts';
import { fieldPath } from './schema-at.ts';
import { type JsonName, walkJson } from './walk-json.ts';

/** Headers by lower-case name. */
export type SentBody = { headers: Readonly<Record<string, string | undefined>>; body: string | undefined };

export const MAX_BODY_BYTES = 256 * 1_024;
const BYTE_ORDER_MARK = /^\uFEFF/;
/** More than any field needs. The schemas recurse, and a deep text would exhaust the stack. */
const MAX_DEPTH = 100;
/** The one valid character that looks like a fault. */
const OF_U_FFFD = 'If it is meant to have a U+FFFD, write that as \\ufffd.';

/** The JSON of a request body. Throws `unsupported_media_type`, `request_too_large` and `invalid_request`. */
export function readJson(sent: SentBody): unknown {
  const json = readLargeJson(sent, MAX_BODY_BYTES);
  assertFewValues(json, 'request body');
  return json;
}

/** The same of up to `maxBytes`. The caller must assert that no part of it has too many values. */
export function readLargeJson({ headers, body = '' }: SentBody, maxBytes: number): unknown {
  assertMediaType(headers);
  if (Buffer.byteLength(body) > maxBytes) throw tooLarge(maxBytes);
  return parseJson(body, 'request body');
}

/** Parses JSON. `name` is what callers call the text. Throws `invalid_request`. */
export function parseJson(sent: string, name: string): unknown {
  // Decoding the request has replaced bytes that were not UTF-8.
  if (sent.includes('\uFFFD'))
    throw invalidRequest([{ message: `The ${name} is not valid UTF-8. ${OF_U_FFFD}` }]);
  const text = sent.replace(BYTE_ORDER_MARK, '');
  const json = parsed(text, name);
  const [first, ...others] = badNames(text, name);
  if (first) throw invalidRequest([first, ...others]);
  return json;
}

function tooLarge(maxBytes: number): AppError {
  if (maxBytes === MAX_BODY_BYTES) return new AppError('request_too_large');
  const message = `The request body is larger than ${maxBytes / 1_000_000} MB.`;
  return new AppError('request_too_large', { message });
}

/** JSON between systems is UTF-8: https://www.rfc-editor.org/rfc/rfc8259#section-8.1 */
function assertMediaType(headers: SentBody['headers']): void {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const isForeign = parameters.some((each) => /^\s*charset\s*=(?!\s*"?utf-?8"?\s*$)/.test(each));
  if (type.trim() !== 'application/json' || isForeign) throw new AppError('unsupported_media_type');
  if (/^(identity)?$/i.test(headers['content-encoding']?.trim() ?? '')) return;
  throw new AppError('unsupported_media_type', { message: 'Send the body without a Content-Encoding.' });
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalidRequest([{ message: `The ${name} is not valid JSON: ${placeOfFault(text)}.` }], {
      cause,
    });
  }
}

/** V8 names the place of some faults only. */
function placeOfFault(text: string): string {
  if (text.trim() === '') return 'it is empty';
  const fault = walkJson(text, () => undefined, MAX_DEPTH);
  if (fault?.kind === 'depth') return `it is nested more than ${MAX_DEPTH} levels deep`;
  return `see line ${fault?.line}, column ${fault?.column}`;
}

/**
 * Finds repeated names, of which JSON.parse keeps the last, and `__proto__`, which Zod drops silently:
 * https://www.rfc-editor.org/rfc/rfc8259#section-4
 */
function badNames(text: string, whole: string): Fault[] {
  const faults: Fault[] = [];
  let field: string | undefined;
  const visit = (name: JsonName) => {
    if (name.isOuter) field = name.name;
    const fault = faults.length < MAX_FAULTS ? faultOf(name) : undefined;
    if (fault) faults.push(fault);
  };
  if (walkJson(text, visit, MAX_DEPTH) === undefined) return faults;
  const message = `The ${whole} is nested more than ${MAX_DEPTH} levels deep.`;
  return [{ message, ...(field !== undefined && { param: field }) }];
}

function faultOf({ name, isRepeated, path }: JsonName): Fault | undefined {
  if (name === '__proto__')
    return { param: name, message: `Neither fields nor headers can be named '${name}'.` };
  if (!isRepeated) return undefined;
  const whole = path();
  const param = pathText(fieldPath(requestSchema, whole));
  return { param, message: `Field '${pathText(whole)}' is given more than once.` };
}
