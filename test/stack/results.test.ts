import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { LOCAL_CREDENTIALS } from '../../local/create-resources.ts';
import { REGION } from '../../local/template/physical.ts';
import { sharedStack } from '../support/stack/shared-stack.ts';

const stack = await sharedStack();
const { client } = stack;

const url = `${stack.demoSite}/big?mb=1`;
const resultOf = async () => {
  const id = await client.submit({ url });
  await client.settled(id);
  return { id, ask: (headers = {}) => client.get(`/api/v1/scraper/jobs/${id}/result`, headers) };
};

test('a result is sent as gzip and in ranges, and as 304 if unchanged', async () => {
  const { ask } = await resultOf();
  const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
  const whole = await ask({ 'Accept-Encoding': 'gzip' });
  expect(whole.headers.get('content-encoding')).toBe('gzip');
  expect(Number(whole.headers.get('x-content-length'))).toBeLessThan(bytes.length / 2);
  expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);

  const part = await ask({ Range: 'bytes=100000-199999' });
  expect([part.status, part.headers.get('x-content-length')]).toEqual([206, '100000']);
  expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(100_000, 200_000))).toBe(true);

  const etag = whole.headers.get('etag') ?? '';
  expect((await ask({ 'Accept-Encoding': 'gzip', 'If-None-Match': etag })).status).toBe(304);
});

test('a result that is corrupted in the store is cut off for every request', async () => {
  const { id, ask } = await resultOf();
  using s3 = disposable(new S3Client({ ...LOCAL, endpoint: stack.endpoints.s3 }));
  const Bucket = stack.buckets.results;
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }));
  const Key = Contents.find((object) => object.Key?.includes(id))?.Key;
  const stored = await s3.send(new GetObjectCommand({ Bucket, Key }));
  const bytes = (await stored.Body?.transformToByteArray()) ?? new Uint8Array();
  bytes.set([0, 0, 0, 0], bytes.length - 1_000);
  await s3.send(new PutObjectCommand({ Bucket, Key, Body: bytes }));
  for (const headers of [
    { 'Accept-Encoding': 'gzip' },
    { 'Accept-Encoding': 'identity' },
    { Range: 'bytes=0-9' },
  ])
    await expect(ask(headers).then((answer) => answer.arrayBuffer())).rejects.toThrow();
});

const LOCAL = { region: REGION, credentials: LOCAL_CREDENTIALS };

function disposable(client: S3Client): S3Client & Disposable {
  return Object.assign(client, { [Symbol.dispose]: () => client.destroy() });
}
