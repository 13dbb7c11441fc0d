import { createHash, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { S3Client } from '@aws-sdk/client-s3';
import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { LOCAL_CREDENTIALS } from '../../local/create-resources.ts';
import { REGION } from '../../local/template/physical.ts';
import { TRANSFER_TIMEOUTS } from '../../shared/adapters/clients.ts';
import { s3Results } from '../../shared/adapters/s3-results.ts';
import { emulatedWorld } from '../support/world/emulated-world.ts';
import { describePorts } from '../support/world/ports.ts';
import { rawServer } from '../support/servers/target-server.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describePorts('results', (ports) => {
  test.each([0, 1, 20_000_000])('return %i bytes unchanged', async (size) => {
    const key = `results/org/${v7()}/1`;
    const body = randomBytes(size);
    await ports().results.put(key, body);
    const stream = await ports().results.open(key);
    const bytes = Buffer.concat((await stream?.toArray()) ?? []);
    expect(stream).toBeDefined();
    expect(bytes.byteLength).toBe(size);
    expect(sha256(bytes)).toBe(sha256(body));
  });

  test('are gone once they are removed, which may be done twice', async () => {
    const key = `results/org/${v7()}/1`;
    await ports().results.put(key, randomBytes(10));
    await ports().results.remove(key);
    await ports().results.remove(key);
    expect(await ports().results.open(key)).toBeUndefined();
  });

  test('return nothing for an unknown key', async () => {
    expect(await ports().results.open(`results/org/${v7()}/1`)).toBeUndefined();
  });
});

test('a link is public for a minute and returns the bytes with the given headers', async () => {
  await using world = await emulatedWorld();
  const key = `results/org/${v7()}/1`;
  const page = Buffer.from('<h1>Grüße</h1>'.repeat(100));
  await world.results.put(key, gzipSync(page));
  const contentType = 'text/html; charset="utf-8"';
  const link = await world.results.link(key, { contentType, contentEncoding: 'gzip' });
  const answer = await fetch(link);
  expect(Buffer.from(await answer.arrayBuffer()).equals(page)).toBe(true);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': contentType,
    'content-encoding': 'gzip',
    'content-disposition': 'attachment',
    'cache-control': 'no-store',
  });
  const { searchParams } = new URL(link);
  expect([searchParams.get('X-Amz-Expires'), searchParams.get('X-Amz-SignedHeaders')]).toEqual([
    '60',
    'host',
  ]);
  const stale = link.replace(/X-Amz-Date=\w+/, 'X-Amz-Date=20261101T000000Z');
  expect((await fetch(stale)).status).toBe(403);
});

test('an unresponsive store is abandoned', async () => {
  await using silent = await rawServer((socket) => void socket.resume());
  const client = new S3Client({
    endpoint: silent.origin,
    forcePathStyle: true,
    region: REGION,
    credentials: LOCAL_CREDENTIALS,
    requestHandler: { ...TRANSFER_TIMEOUTS, requestTimeout: 500 },
    maxAttempts: 1,
  });
  const results = s3Results({ client, bucket: 'results' });
  await expect(results.open('a')).rejects.toMatchObject({ name: 'TimeoutError' });
  expect(silent.connections()).toBe(1);
  client.destroy();
});
