import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { describedTypes, headerOf } from '../../clients/typescript/described-types.ts';
import manifest from '../../package.json' with { type: 'json' };

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

test('the client has the types of the committed API: npm run openapi', async () => {
  const types = await read('clients/typescript/src/schema.ts');
  expect(types.split('\n')[0]).toBe(headerOf(describedTypes(await read('docs/openapi.json'))));
});

test.each(['typescript', 'cli'])('clients/%s has the version of the service', async (folder) => {
  const { version } = JSON.parse(await read(`clients/${folder}/package.json`)) as { version: string };
  expect(version).toBe(manifest.version);
});

test('the client for Python has the version of the service', async () => {
  expect(await read('clients/python/pyproject.toml')).toContain(`\nversion = "${manifest.version}"\n`);
});
