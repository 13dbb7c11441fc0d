import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readLocalEnv } from '../../shared/local-config.ts';
import { sharedStack } from '../support/stack/shared-stack.ts';
import { newOrganization } from '../support/world/organization.ts';

const stack = await sharedStack();
const { path: PATH } = readLocalEnv();
const file = (name: string) => new URL(`../../docs/${name}`, import.meta.url);

test.each([
  ['prices.mjs', process.execPath],
  ['prices.py', 'python3'],
])('the nightly prices of the guide run as printed: %s', async (name, program) => {
  const code = await readFile(file(`examples/${name}`), 'utf8');
  expect(await readFile(file('prices.md'), 'utf8')).toContain(code);
  expect(code.split('\n').length).toBeLessThan(31);
  const { api_key: SITEFETCH_KEY } = await newOrganization(stack.storage);
  const shelf = `${stack.demoSite}/magazine/shop/tools/`;
  const env = { PATH, SITEFETCH_URL: stack.baseUrl, SITEFETCH_KEY };
  const args = [fileURLToPath(file(`examples/${name}`)), shelf];
  const { stdout } = await promisify(execFile)(program, args, { env });
  const lines = stdout.trim().split('\n');
  expect(lines.find((line) => line.startsWith(`${shelf}bread-pot`))).toContain('Bread pot 79.00 €');
  expect(lines.at(-1)).toBe(`${lines.length - 1} credits, 0 failed`);
});
