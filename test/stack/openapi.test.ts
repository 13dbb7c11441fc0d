import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { sharedStack } from '../support/stack/shared-stack.ts';

const stack = await sharedStack();
const file = new URL('../../docs/openapi.json', import.meta.url);

test('the served document names the URL that it was served from, and the committed one none', async () => {
  const served = (await (await fetch(`${stack.baseUrl}/openapi.json`)).json()) as Record<string, unknown>;
  const committed = JSON.parse(await readFile(file, 'utf8')) as object;
  expect(served.servers).toMatchObject([{ url: stack.baseUrl }]);
  expect({ ...committed, servers: [] }).toEqual({ ...served, servers: [] });
});
