import { createHash, randomBytes } from 'node:crypto';
import { S3Client } from '@aws-sdk/client-s3';
import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { LOCAL_CREDENTIALS } from '../../local/create-resources.ts';
import { REGION } from '../../local/template/physical.ts';
import { TRANSFER_TIMEOUTS } from '../../shared/adapters/clients.ts';
import { s3Results } from '../../shared/adapters/s3-results.ts';
import { describePorts } from '../support/ports.ts';
import { rawServer } from '../support/target-server.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describePorts('results', (ports) => {
  test.each([0, 1, 20_000_000])('give %i bytes back as they were', async (size) => {
    const key = `results/org/${v7()}/1`;
    const body = randomBytes(size);
    await ports().results.put(key, body);
    const stream = await ports().results.open(key);
    const bytes = Buffer.concat((await stream?.toArray()) ?? []);
    expect(stream).toBeDefined();
    expect(bytes.byteLength).toBe(size);
    expect(sha256(bytes)).toBe(sha256(body));
  });

  test('have nothing where nothing was put', async () => {
    expect(await ports().results.open(`results/org/${v7()}/1`)).toBeUndefined();
  });
});

test('a store that takes a connection and says nothing is given up', { timeout: 30_000 }, async () => {
  await using silent = await rawServer((socket) => void socket.resume());
  const client = new S3Client({
    endpoint: silent.origin,
    forcePathStyle: true,
    region: REGION,
    credentials: LOCAL_CREDENTIALS,
    requestHandler: TRANSFER_TIMEOUTS,
    maxAttempts: 1,
  });
  const results = s3Results({ client, bucket: 'results' });
  await expect(results.open('a')).rejects.toMatchObject({ name: 'TimeoutError' });
  expect(silent.connections()).toBe(1);
  client.destroy();
});
