import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { HTTP_INTEGRATION_RESPONSE, PRELUDE_DELIMITER, type Answer } from '../lambda/invocation.ts';

const value = z.union([z.string(), z.number(), z.boolean()]).transform(String);

/** Status and headers of a Lambda proxy integration. */
const Head = z.object({
  statusCode: z.coerce.number().int().min(100).max(599).default(200),
  headers: z.record(z.string(), value).nullish(),
  multiValueHeaders: z.record(z.string(), z.array(value)).nullish(),
  cookies: z.array(z.string()).nullish(),
});

const Whole = Head.extend({ body: z.string().nullish(), isBase64Encoded: z.boolean().nullish() });

type IntegrationHead = { status: number; headers: Record<string, string | string[]> };

export type StreamedResponse = IntegrationHead & { body: AsyncIterable<Uint8Array> };

/**
 * Splits a streamed response into its head, which comes first as JSON, and its body. Undefined without such a
 * head: the function failed, or does not stream.
 */
export async function takePrelude({ contentType, body }: Answer): Promise<StreamedResponse | undefined> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let taken = Buffer.alloc(0);
  for (let end = -1; end === -1; end = taken.indexOf(PRELUDE_DELIMITER)) {
    const next = await chunks.next();
    if (next.done) return undefined;
    taken = Buffer.concat([taken, next.value]);
  }
  const end = taken.indexOf(PRELUDE_DELIMITER);
  const parsed = Head.safeParse(parse(taken.subarray(0, end).toString()));
  const head = contentType === HTTP_INTEGRATION_RESPONSE ? headOf(parsed.data) : undefined;
  const rest = rejoin(taken.subarray(end + PRELUDE_DELIMITER.length), chunks);
  if (head) return { ...head, body: rest };
  void readToEnd(rest);
  return undefined;
}

/** Reads and drops the rest: as on Lambda, a function finishes even if its client has gone. */
export async function readToEnd(body: AsyncIterable<Uint8Array>): Promise<void> {
  const chunks = body[Symbol.asyncIterator]();
  while ((await chunks.next()).done !== true) continue;
}

async function* rejoin(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

/** Reads a response that is not streamed: one JSON document with the body in it. */
export async function takeWhole(answer: Answer): Promise<StreamedResponse | undefined> {
  const text = (await buffer(answer.body)).toString();
  if (await answer.fault) return undefined;
  const whole = Whole.safeParse(parse(text)).data;
  const head = headOf(whole);
  if (!head) return undefined;
  const body = Buffer.from(whole?.body ?? '', whole?.isBase64Encoded === true ? 'base64' : 'utf8');
  const headers = { ...head.headers, 'Content-Length': String(body.byteLength) };
  return { ...head, headers, body: Readable.from([body]) };
}

function headOf(head: z.infer<typeof Head> | undefined): IntegrationHead | undefined {
  if (!head) return undefined;
  const cookies = head.cookies?.length ? { 'Set-Cookie': head.cookies } : {};
  const headers = renamedHeaders({ ...head.headers, ...head.multiValueHeaders });
  return { status: head.statusCode, headers: { ...headers, ...cookies } };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Response headers that API Gateway reserves, and so renames. Of the documented list, Age, Content-Type
 * and Content-Encoding are not renamed.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html
 */
const RESERVED = new Set(
  `accept accept-charset accept-encoding authorization connection content-length content-md5 date expect host
  max-forwards pragma proxy-authenticate range referer server te trailer transfer-encoding upgrade user-agent via warn
  www-authenticate`.split(/\s+/),
);

function renamedHeaders<Value>(headers: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      RESERVED.has(name.toLowerCase()) ? `x-amzn-Remapped-${name}` : name,
      value,
    ]),
  );
}
