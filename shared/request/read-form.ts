import type { SentBody } from './read-json.ts';
import { AppError } from '../errors.ts';
import { invalidField, invalidRequest } from './fault.ts';

/** A posted form. */
export type SentForm = Pick<SentBody, 'headers'> & { bytes: () => Buffer };

export type SentFile = { name: string; contentType: string; bytes: Buffer };

/** Base64 makes it a third longer, and an event of Lambda may have 6 MiB. */
export const MAX_FORM_BYTES = 4_500_000;

/** Node's parser takes any number of parts with headers of any length, which may keep it busy for seconds. */
const [MAX_PARTS, MAX_HEAD_BYTES] = [10, 8_192];
const END_OF_HEAD = '\r\n\r\n';

/**
 * The file and the fields of a `multipart/form-data` body. Throws `unsupported_media_type`,
 * `request_too_large` and `invalid_request`.
 */
export async function readForm(
  { headers, bytes }: SentForm,
  fileField: string,
): Promise<{ file: SentFile; fields: Readonly<Record<string, string>> }> {
  const contentType = headers['content-type'] ?? '';
  if (!/^\s*multipart\/form-data\s*(?:;|$)/i.test(contentType))
    throw new AppError('unsupported_media_type', {
      message: 'Send the request as multipart/form-data, with its boundary.',
    });
  const body = bytes();
  if (body.byteLength > MAX_FORM_BYTES)
    throw new AppError('request_too_large', {
      message: `The request body is larger than ${MAX_FORM_BYTES / 1_000_000} MB.`,
    });
  const form = await parsed(body, contentType);
  const file = form.get(fileField);
  if (!(file instanceof File) || file.size === 0)
    throw invalidField(fileField, `The form has no file in its field '${fileField}', or an empty one.`);
  const name = file.name.slice(Math.max(file.name.lastIndexOf('/'), file.name.lastIndexOf('\\')) + 1);
  const texts = [...form].flatMap(([field, value]) => (typeof value === 'string' ? [[field, value]] : []));
  return {
    file: { name, contentType: file.type, bytes: Buffer.from(await file.arrayBuffer()) },
    fields: Object.fromEntries(texts) as Record<string, string>,
  };
}

async function parsed(body: Buffer, contentType: string): Promise<FormData> {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined || !isShort(body, `--${boundary}`)) throw invalidForm();
  try {
    // oxlint-disable-next-line typescript/no-deprecated -- what makes it slow is refused before
    return await new Response(body, { headers: { 'Content-Type': contentType } }).formData();
  } catch (cause) {
    throw invalidForm(cause);
  }
}

const invalidForm = (cause?: unknown) =>
  invalidRequest([{ message: 'The form is not valid, or has too many parts.' }], { cause });

/** Whether it has few parts, with short heads. */
function isShort(body: Buffer, delimiter: string): boolean {
  let parts = 0;
  for (let at = body.indexOf(delimiter); at >= 0; at = body.indexOf(delimiter, at + delimiter.length)) {
    parts += 1;
    const isLast = body.toString('latin1', at + delimiter.length, at + delimiter.length + 2) === '--';
    const head = body.subarray(at, at + MAX_HEAD_BYTES);
    if (parts > MAX_PARTS + 1 || (!isLast && !head.includes(END_OF_HEAD))) return false;
  }
  return true;
}
