import { createHash, randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { describePorts } from '../support/ports.ts';

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
