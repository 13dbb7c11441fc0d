import { execFile } from 'node:child_process';
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { invoke } from '../../infra/invoke/invoke.ts';
import { localVariables } from '../../infra/invoke/variables.ts';
import { readLocalEnv } from '../../shared/local-config.ts';
import { sharedStack } from '../support/stack/shared-stack.ts';

const MAIN = fileURLToPath(new URL('../../infra/invoke/main.ts', import.meta.url));
const stack = await sharedStack();

type Run = { code?: number; stdout: string; stderr: string };

/** As a developer types it. */
async function run(args: string[], piped = ''): Promise<Run> {
  const env = { PATH: readLocalEnv().path, LOCAL_DIR: stack.localDir };
  const running = promisify(execFile)(process.execPath, [MAIN, ...args], { env });
  running.child.stdin?.end(piped);
  return running.catch((error: unknown) => error as Run);
}

test('a function is run once with an event, its key and its page, and its log is apart', async () => {
  const { code, stdout, stderr } = await run(['scraper', 'scraper']);
  expect(code).toBeUndefined();
  expect(JSON.parse(stdout)).toMatchObject({ statusCode: 200, headers: { 'X-Credits-Used': '1' } });
  expect((JSON.parse(stdout) as { body: string }).body).toContain('<h1>Demo site</h1>');
  expect(stderr).toContain('"operation":"scrape"');
});

test('the error of a function is printed, and the command fails', { tags: ['soak'] }, async () => {
  const { code, stdout } = await run(['worker', '-'], '{}');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ errorType: 'TypeError' });
});

test.each([
  [['metta', 'meta'], 'There is no function "metta". Did you mean "meta"?'],
  [['meta', 'nothing.json'], 'There is no event "nothing.json" as a file or in test/fixtures/events.'],
  [['meta', 'README.md'], 'README.md is not JSON'],
  [['meta', 'meta', 'more'], 'invoke does not take "more".'],
  [['scraper', 'scraper', '--key', 'mistyped'], '--key must be a whole API key.'],
  [['account', 'account', '--url', 'http://a.example'], 'account takes no --url.'],
])('%j is refused with an error that says why', async (args, message) => {
  await expect(invoke(args)).rejects.toThrow(message);
});

test('without a running stack the command says so', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'invoke-'));
  vi.stubEnv('LOCAL_DIR', folder.path);
  try {
    await expect(invoke(['meta', 'meta'])).rejects.toThrow('No local stack is running');
    const found = JSON.parse(await readFile(join(stack.localDir, 'stack.json'), 'utf8')) as object;
    const killed = { ...found, base_url: 'http://127.0.0.1:1' };
    await writeFile(join(folder.path, 'stack.json'), JSON.stringify(killed));
    await expect(invoke(['meta', 'meta'])).rejects.toThrow('The local stack has stopped.');
    await expect(localVariables()).rejects.toThrow('The local stack has stopped.');
  } finally {
    vi.unstubAllEnvs();
  }
});

test('SAM gets the variables of the running functions', async () => {
  const warned = vi.spyOn(console, 'error').mockReturnValue();
  const variables = await localVariables(stack.localDir);
  expect(warned.mock.calls.join()).toContain('EMULATORS_HOST=172.17.0.1 npm start');
  warned.mockRestore();
  expect(variables.WorkerFunctionAF8A26AF).toMatchObject({
    AWS_ENDPOINT_URL_DYNAMODB: stack.endpoints.dynamodb,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: stack.endpoints.secrets,
    BROWSER_FUNCTION: stack.functions.browser,
  });
  expect(variables.DashboardFunction117EF421).toMatchObject({ API_URL: stack.baseUrl });
  expect(JSON.stringify(variables)).not.toMatch(/CHROMIUM_DIR|AWS_ACCESS_KEY_ID|AWS_LAMBDA_|"PATH"/);
});
