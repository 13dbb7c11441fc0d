import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { localStack } from '../support/local-stack.ts';
import { assemblyOfStacks } from '../support/shared-stack.ts';

test('a stack that starts again has its key, demo site, jobs and results, and ends what was begun', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sitefetch-kept-'));
  const choices = { assembly: await assemblyOfStacks(), localDir: folder.path };
  const first = await localStack(choices);
  const { apiKey, demoSite } = first;
  // Linux gives the others to connections, of which some are open when the stack starts again.
  expect(Number(new URL(demoSite).port)).toBeLessThan(32_768);
  const done = await first.client.submit({ url: demoSite });
  await first.client.settled(done);
  const page = await (await first.client.result(done)).text();
  const unfinished = await first.client.submit({ url: `${demoSite}/slow?ms=1000`, timeout: 2_000 });
  await first[Symbol.asyncDispose]();

  await using second = await localStack(choices);
  expect(second).toMatchObject({ apiKey, demoSite });
  expect(await (await second.client.result(done)).text()).toBe(page);
  expect((await second.client.settled(unfinished)).job.status).toBe('completed');
});
