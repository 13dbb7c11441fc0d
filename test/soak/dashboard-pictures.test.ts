import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { pictures, takePictures } from '../support/stack/dashboard-pictures.ts';

const MAX_BYTES = 100_000;
const inDocs = (name: string) => new URL(`../../docs/dashboard/${name}.png`, import.meta.url);

test('each picture of the dashboard can be taken, is small, and stands in the guide', async () => {
  const taken: { name: string; png: Uint8Array }[] = [];
  for await (const picture of takePictures()) taken.push(picture);
  expect(taken.map(({ name }) => name)).toEqual(pictures.map(({ name }) => name));
  const guide = await readFile(new URL('../../docs/accounts.md', import.meta.url), 'utf8');
  for (const { name, png } of taken) {
    const kept = await readFile(inDocs(name));
    expect(png.length, name).toBeLessThan(MAX_BYTES);
    expect(kept.length, name).toBeLessThan(MAX_BYTES);
    expect(guide).toContain(`dashboard/${name}.png`);
  }
});
