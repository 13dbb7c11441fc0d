import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { emulatedWorld, type EmulatedWorld } from '../support/world/emulated-world.ts';

let world: EmulatedWorld;
beforeAll(async () => {
  world = await emulatedWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

test('an upload is sent by a link, and read in parts until it is replaced', async () => {
  const { uploads } = world;
  const key = 'results/org/batch/requests.ndjson';
  expect(await uploads.find(key)).toBeUndefined();
  const link = await uploads.link(key, 60);
  // S3 would refuse bytes with another checksum than a signed one.
  expect(link).not.toContain('checksum');
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  expect((await fetch(link, { method: 'PUT', body: 'one\ntwo\n', headers })).status).toBe(200);
  const found = await uploads.find(key);
  if (found === undefined) throw new Error('There is no upload.');
  const { version, bytes } = found;
  expect(bytes).toBe(8);
  const read = async (from: number, to?: number) => {
    const stream = await uploads.read({ key, version }, from, to);
    return stream && text(stream);
  };
  expect([await read(0), await read(4), await read(4, 7)]).toEqual(['one\ntwo\n', 'two\n', 'two']);
  expect(await read(8)).toBe('');
  expect((await fetch(link, { method: 'PUT', body: 'other' })).status).toBe(200);
  expect(await read(0)).toBeUndefined();
  expect(await uploads.read({ key: 'results/org/none', version }, 0)).toBeUndefined();
});

test('an upload is written as a stream of bytes or text, which returns its version', async () => {
  const { uploads } = world;
  const key = 'results/org/copied/requests.ndjson';
  const version = await uploads.write(key, Readable.from([Buffer.from('one\n'), 'two ä\n']));
  expect(await uploads.find(key)).toEqual({ bytes: 11, version });
  const stream = await uploads.read({ key, version }, 0);
  expect(stream && (await text(stream))).toBe('one\ntwo ä\n');
});

test('an upload of a known length is taken in that length alone, and can be deleted', async () => {
  const { uploads } = world;
  const key = 'results/org/exact/requests.ndjson';
  const link = await uploads.link(key, 60, 8);
  const put = async (body: string, url = link) => (await fetch(url, { method: 'PUT', body })).status;
  expect(await put('one\ntwo')).toBe(403);
  expect(await put('one\ntwo\n\n')).toBe(403);
  expect(await uploads.find(key)).toBeUndefined();
  expect(await put('one\ntwo\n')).toBe(200);
  expect(await uploads.find(key)).toMatchObject({ bytes: 8 });
  await uploads.remove(key);
  await uploads.remove(key);
  expect(await uploads.find(key)).toBeUndefined();
});
