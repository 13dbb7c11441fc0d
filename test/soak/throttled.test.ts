import { mkdtempDisposable, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clientOf } from '../support/stack/client.ts';
import { localStack } from '../support/stack/local-stack.ts';
import { newOrganization } from '../support/world/organization.ts';
import { assemblyOfStacks } from '../support/stack/shared-stack.ts';

const JOBS = 3;
const SERVICE = /service\.template\.json$/;

type Template = { Resources: Record<string, { Type: string; Properties: Record<string, unknown> }> };

/** The cloud assembly with this limit on concurrent browsers. */
async function withBrowsers(reserved: number, folder: string): Promise<void> {
  const assembly = await assemblyOfStacks();
  for (const name of await readdir(assembly)) {
    if (!SERVICE.test(name)) await symlink(join(assembly, name), join(folder, name));
    else {
      const template = JSON.parse(await readFile(join(assembly, name), 'utf8')) as Template;
      const [[, browser] = []] = Object.entries(template.Resources).filter(
        ([id, { Type }]) => Type === 'AWS::Lambda::Function' && id.startsWith('Browser'),
      );
      if (!browser) throw new Error('The template has no browser function.');
      browser.Properties['ReservedConcurrentExecutions'] = reserved;
      await writeFile(join(folder, name), JSON.stringify(template));
    }
  }
}

test('rendered jobs wait for a free browser and are charged once each', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'one-browser-'));
  await withBrowsers(1, folder.path);
  await using stack = await localStack({ assembly: folder.path });
  const wanted = { plan: 'business', overrides: { concurrency: JOBS } } as const;
  const client = clientOf(stack.baseUrl, (await newOrganization(stack.storage, wanted)).api_key);
  const request = { url: `${stack.demoSite}/slow?ms=1000`, render_js: true };
  const ids = await Promise.all(Array.from({ length: JOBS }, () => client.submit(request)));
  const jobs = (await Promise.all(ids.map((id) => client.settled(id)))).map(({ job }) => job);
  expect(jobs.map(({ status, error_code }) => error_code ?? status)).toEqual(ids.map(() => 'completed'));
  expect(jobs.every(({ attempts, credits_used }) => attempts === 1 && credits_used === 5)).toBe(true);
});
