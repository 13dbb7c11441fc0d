import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readLocalEnv } from '../../shared/local-config.ts';
import { sharedStack } from '../support/stack/shared-stack.ts';
import { newOrganization } from '../support/world/organization.ts';

const stack = await sharedStack();
const { path: PATH } = readLocalEnv();
const tool = fileURLToPath(new URL('../../docs/examples/agent.py', import.meta.url));

test("the guide's tool for agents returns parts of a page, and an error as text", async () => {
  const { api_key: SITEFETCH_KEY } = await newOrganization(stack.storage);
  const env = { PATH, SITEFETCH_URL: stack.baseUrl, SITEFETCH_KEY };
  const read = async (url: string, offset: number) => {
    const args = [tool, url, String(offset)];
    return (await promisify(execFile)('python3', args, { env })).stdout.trim();
  };
  const url = `${stack.demoSite}/magazine/shop/tools/bread-pot`;
  const whole = await read(url, 0);
  expect(whole).toContain('Bread pot');
  const rest = await read(url, 20);
  expect([rest === '', whole.endsWith(rest), rest === whole]).toEqual([false, true, false]);
  expect(await read('http://10.0.0.1/', 0)).toMatch(/^Error: .*not public/);
});
