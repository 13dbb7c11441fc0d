import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clientOf } from '../support/client.ts';
import { npmStart } from '../support/npm-start.ts';

/** Each start takes up to 90 s on a busy machine. */
const TWO_STARTS = { timeout: 240_000 };

test('npm start keeps keys, jobs and results over a kill', TWO_STARTS, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sitefetch-kept-'));
  const localDir = folder.path;
  const first = await npmStart({ localDir });
  const { base_url, api_key, demo_site } = first.file;
  const before = clientOf(base_url, api_key);
  const done = await before.submit({ url: demo_site });
  await before.settled(done);
  const page = await (await before.result(done)).text();
  const unfinished = await before.submit({ url: `${demo_site}/slow?ms=1000`, timeout: 2_000 });
  await first[Symbol.asyncDispose]();

  await using second = await npmStart({ localDir });
  expect(second.file).toMatchObject({ api_key, demo_site });
  expect(second.output()).toMatch(/kept: 1 organization, 2 jobs, 1 of them unfinished/);
  const after = clientOf(second.file.base_url, api_key);
  expect(await (await after.result(done)).text()).toBe(page);
  expect((await after.settled(unfinished)).job.status).toBe('completed');
  await expect.poll(second.output).toMatch(new RegExp(`job ${unfinished} .* completed {2}1 credit`));
});
