import type { buildApp } from 'fauxqs';

type App = ReturnType<typeof buildApp>;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html#API_GetObject_RequestSyntax */
const OVERRIDE = /^response-(cache-control|content-(?:disposition|encoding|language|type)|expires)$/;

/** In place of the type that a caller sends. */
const UPLOAD = 'application/octet-stream';
/** Over the gigabyte of an upload. */
const MOST_BYTES = 1_100_000_000;

/**
 * Adds what the emulator lacks for presigned URLs: expiry, response headers named in the query, and uploads
 * of any type and of more than 11 MiB.
 */
export function honourPresignedUrls(app: App, now = () => Date.now()): void {
  app.addContentTypeParser(UPLOAD, { parseAs: 'buffer', bodyLimit: MOST_BYTES }, (_request, body, done) =>
    done(null, body),
  );
  app.addHook('onRequest', async (request, reply) => {
    const { searchParams } = new URL(request.url, 'http://s3');
    if (!searchParams.has('X-Amz-Signature')) return;
    if (request.method === 'PUT') request.raw.headers['content-type'] = UPLOAD;
    const signedAt = searchParams.get('X-Amz-Date') ?? '';
    const lastsMs = Number(searchParams.get('X-Amz-Expires')) * 1_000;
    if (now() > timeOf(signedAt) + lastsMs) {
      const error = '<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>';
      await reply.code(403).type('application/xml').send(error);
    }
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

/** `20261121T120000Z`, the basic form of ISO 8601. */
function timeOf(basic: string): number {
  return Date.parse(basic.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/, '$1-$2-$3:$4:$5'));
}
