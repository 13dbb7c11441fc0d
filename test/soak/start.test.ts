import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startDemoSite } from '../../local/demo-site.ts';
import { createApiKey } from '../../shared/domain/accounts/api-key.ts';
import { clientOf } from '../support/stack/client.ts';
import { npmStart, processesOf } from '../support/stack/npm-start.ts';

test('SIGTERM leaves no process behind, and --fresh deletes keys, jobs and results', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sitefetch-kept-'));
  const localDir = folder.path;
  await using first = await npmStart({ localDir });
  const before = clientOf(first.file.base_url, first.file.api_key);
  const done = await before.submit({ url: first.file.demo_site });
  await before.settled(done);
  const children = await first.children();
  const ended = once(first.npm, 'exit');
  first.npm.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  await expect.poll(() => processesOf(children), { timeout: 30_000 }).toEqual([]);
  await expect(first.read()).rejects.toThrow('ENOENT');

  await using other = await startDemoSite();
  const { text: API_KEY } = createApiKey('test', randomBytes);
  const variables = { API_KEY, EGRESS_ALLOW: new URL(other.url).host.replace('127.0.0.1', 'localhost') };
  await using second = await npmStart({ localDir, args: ['--fresh'], variables });
  expect(second.file.api_key).toBe(API_KEY);
  const { base_url } = second.file;
  expect((await clientOf(base_url, API_KEY).scrape({ url: other.url })).status).toBe(200);
  const status = async (key: string) =>
    (await clientOf(base_url, key).get(`/api/v1/scraper/jobs/${done}`)).status;
  expect([await status(first.file.api_key), await status(API_KEY)]).toEqual([401, 404]);
});
