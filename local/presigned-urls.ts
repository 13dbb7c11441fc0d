import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { buildApp } from 'fauxqs';
import { LOCAL_CREDENTIALS } from './create-resources.ts';

type App = ReturnType<typeof buildApp>;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html#API_GetObject_RequestSyntax */
const OVERRIDE = /^response-(cache-control|content-(?:disposition|encoding|language|type)|expires)$/;

/** In place of the type that a caller sends. */
const UPLOAD = 'application/octet-stream';
/** Over the gigabyte of an upload. */
const MAX_BYTES = 1_100_000_000;

/**
 * Adds what the emulator lacks for presigned URLs: expiry, signed lengths, response headers named in the
 * query, and uploads of any type and of more than 11 MiB.
 */
export function honourPresignedUrls(app: App, now = () => Date.now()): void {
  app.addContentTypeParser(UPLOAD, { parseAs: 'buffer', bodyLimit: MAX_BYTES }, (_request, body, done) =>
    done(null, body),
  );
  app.addHook('onRequest', async (request, reply) => {
    const { searchParams } = new URL(request.url, 'http://s3');
    if (!searchParams.has('X-Amz-Signature')) return;
    if (request.method === 'PUT') request.raw.headers['content-type'] = UPLOAD;
    const signedAt = searchParams.get('X-Amz-Date') ?? '';
    const lastsMs = Number(searchParams.get('X-Amz-Expires')) * 1_000;
    const [code, message] =
      now() > timeOf(signedAt) + lastsMs ? EXPIRED : hasSignedLength(request.raw) ? [] : MISMATCH;
    if (code !== undefined)
      await reply
        .code(403)
        .type('application/xml')
        .send(`<Error><Code>${code}</Code><Message>${message}</Message></Error>`);
  });
  app.addHook('onSend', (request, reply, _payload, done) => {
    const { searchParams } = new URL(request.url, 'http://s3');
    for (const [name, value] of searchParams) {
      const [, header] = OVERRIDE.exec(name) ?? [];
      if (header !== undefined && reply.statusCode < 300) reply.header(header, value);
    }
    done();
  });
}

const EXPIRED = ['AccessDenied', 'Request has expired'] as const;
const MISMATCH = ['SignatureDoesNotMatch', 'The signature does not match the length of the upload.'] as const;

/** True if no length is signed. https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html */
function hasSignedLength({ method = '', url = '', headers }: IncomingMessage): boolean {
  const { pathname, search, searchParams } = new URL(url, 'http://s3');
  const of = (name: string) => searchParams.get(`X-Amz-${name}`) ?? '';
  const signed = of('SignedHeaders').split(';');
  if (!signed.includes('content-length')) return true;
  const query = search
    .slice(1)
    .split('&')
    .filter((part) => !part.startsWith('X-Amz-Signature='));
  const canonical = [
    ...[method, pathname, query.sort().join('&')],
    ...[...signed.map((name) => `${name}:${String(headers[name])}`), ''],
    ...[signed.join(';'), of('Content-Sha256')],
  ].join('\n');
  const scope = of('Credential').split('/').slice(1);
  const hash = createHash('sha256').update(canonical).digest('hex');
  const text = [of('Algorithm'), of('Date'), scope.join('/'), hash].join('\n');
  const key = [...scope, text].reduce<Buffer | string>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${LOCAL_CREDENTIALS.secretAccessKey}`,
  );
  return Buffer.from(key).toString('hex') === of('Signature');
}

/** `20261121T120000Z`, the basic form of ISO 8601. */
function timeOf(basic: string): number {
  return Date.parse(basic.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/, '$1-$2-$3:$4:$5'));
}
