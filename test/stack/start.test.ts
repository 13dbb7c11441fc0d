import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clientOf } from '../support/stack/client.ts';
import { npmStart, processesOf } from '../support/stack/npm-start.ts';

test('npm start serves, and leaves no process behind after Ctrl-C', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sitefetch-start-'));
  await using stack = await npmStart({ localDir: folder.path });
  const { base_url, api_key, demo_site } = stack.file;
  expect(stack.output()).toMatch(/^[\d:]{8} Starting Sitefetch$/m);
  for (const text of [base_url, `${base_url}/docs`, `curl -H 'Authorization: Bearer ${api_key}'`])
    expect(stack.output()).toContain(text);
  const client = clientOf(base_url, api_key);
  const rendered = await client.scrape({ url: `${demo_site}/js`, render_js: true });
  expect(await rendered.text()).toContain('This text was fetched by JavaScript');
  const line = `POST /api/v1/scraper  ${new URL(demo_site).host}  200  5 credits`;
  await expect.poll(stack.output).toContain(line);
  const job = await client.submit({ url: demo_site });
  await client.settled(job);
  await expect.poll(stack.output).toMatch(new RegExp(`job ${job} .* completed {2}1 credit`));

  const children = await stack.children();
  expect(children.length).toBeGreaterThan(5);
  const ended = once(stack.npm, 'exit');
  stack.npm.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
  await expect.poll(() => processesOf(children), { timeout: 30_000 }).toEqual([]);
  await expect(stack.read()).rejects.toThrow('ENOENT');
});
