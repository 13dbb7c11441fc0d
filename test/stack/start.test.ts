import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clientOf } from '../support/client.ts';
import { npmStart, processesOf } from '../support/npm-start.ts';

/** Each start takes up to 90 s on a busy machine. */
const TWO_STARTS = { timeout: 240_000 };

test(
  'npm start serves, keeps keys, jobs and results over a kill, and leaves no process behind after Ctrl-C',
  TWO_STARTS,
  async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'sitefetch-kept-'));
    const localDir = folder.path;
    const first = await npmStart({ localDir });
    const { base_url, api_key, demo_site } = first.file;
    expect(first.output()).toMatch(/^[\d:]{8} Starting Sitefetch$/m);
    for (const text of [base_url, `${base_url}/docs`, `curl -H 'Authorization: Bearer ${api_key}'`])
      expect(first.output()).toContain(text);
    const before = clientOf(base_url, api_key);
    const rendered = await before.scrape({ url: `${demo_site}/js`, render_js: true });
    expect(await rendered.text()).toContain('This text was fetched by JavaScript');
    const line = `POST /api/v1/scraper  ${new URL(demo_site).host}  200  5 credits`;
    await expect.poll(first.output).toContain(line);
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

    const children = await second.children();
    expect(children.length).toBeGreaterThan(5);
    const ended = once(second.npm, 'exit');
    second.npm.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
    await expect.poll(() => processesOf(children), { timeout: 30_000 }).toEqual([]);
    await expect(second.read()).rejects.toThrow('ENOENT');
  },
);
