import { AppError } from '../errors.ts';
import type { Call } from './call.ts';
import { invalidField, shortened } from './explain-issue.ts';

const MAX_BODY_BYTES = 256 * 1_024;

/** The JSON that a call's body is. Throws `unsupported_media_type`, `request_too_large` and `invalid_request`. */
export function readJson({ headers, body = '' }: Pick<Call, 'headers' | 'body'>): unknown {
  assertMediaType(headers);
  if (Buffer.byteLength(body) > MAX_BODY_BYTES) throw new AppError('request_too_large');
  // What was no UTF-8 has been replaced on its way here.
  if (body.includes('\uFFFD')) throw malformed('The request body is not valid UTF-8.');
  try {
    const json: unknown = JSON.parse(body, refuseProto);
    refuseTwice(body);
    return json;
  } catch (cause) {
    throw cause instanceof AppError ? cause : malformed('The request body is not valid JSON.', cause);
  }
}

/** JSON between strangers is UTF-8: https://www.rfc-editor.org/rfc/rfc8259#section-8.1 */
function assertMediaType(headers: Call['headers']): void {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const isForeign = parameters.some((each) => /^\s*charset\s*=(?!\s*"?utf-?8"?\s*$)/.test(each));
  if (type.trim() !== 'application/json' || isForeign) throw new AppError('unsupported_media_type');
  if (/^(identity)?$/i.test(headers['content-encoding']?.trim() ?? '')) return;
  throw new AppError('unsupported_media_type', { message: 'Send the body without a Content-Encoding.' });
}

/** Zod leaves it out without a word, wherever it is. */
function refuseProto(name: string, value: unknown): unknown {
  if (name === '__proto__') throw invalidField(name, `Neither fields nor headers can be named '${name}'.`);
  return value;
}

/** Parsed, the last one would have won, and may cost more: https://www.rfc-editor.org/rfc/rfc8259#section-4 */
function refuseTwice(json: string): void {
  const open: Set<string>[] = [];
  let field = '';
  for (const [token, text, colon] of json.matchAll(/("(?:[^"\\]|\\.)*")\s*(:?)|[{}[\]]/g)) {
    if (token === '{' || token === '[') open.push(new Set());
    if (token === '}' || token === ']') open.pop();
    if (text === undefined || !colon) continue;
    const name = String(JSON.parse(text));
    if (open.length === 1) field = name;
    if (open.at(-1)?.has(name)) throw twice(open.length === 1 ? [name] : [field, name]);
    open.at(-1)?.add(name);
  }
}

function twice(path: [string, ...string[]]): AppError {
  return invalidField(path[0], `Field '${path.map(shortened).join('.')}' is given more than once.`);
}

function malformed(message: string, cause?: unknown): AppError {
  return new AppError('invalid_request', { message, cause });
}
