import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable, open, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { clientOf } from '../support/stack/client.ts';
import { npmStart } from '../support/stack/npm-start.ts';

const run = promisify(execFile);
/** The cloud assembly takes 250 MB. */
const SIZE = '400m';
/** What is left of it: enough for some jobs. */
const LEFT_BYTES = 400_000;
/** Each start takes up to 90 s on a busy machine. */
const TWO_STARTS = { timeout: 300_000 };
const FULL =
  /^The disk of \S+ is full\. Nothing that was accepted is lost: free some space, and start again\.$/m;

/** A disk of its own in a folder. Only root may mount one. */
async function smallDisk(path: string): Promise<AsyncDisposable | undefined> {
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', path]).catch(
    () => undefined,
  );
  return mounted && { [Symbol.asyncDispose]: async () => void (await run('umount', ['--lazy', path])) };
}

async function fill(file: string): Promise<void> {
  await using filler = await open(file, 'w');
  const block = Buffer.alloc(65_536, 'x');
  let size = 0;
  const write = async () =>
    filler.write(block).then(
      ({ bytesWritten }) => bytesWritten,
      () => 0,
    );
  for (let written = await write(); written > 0; written = await write()) size += written;
  await truncate(file, Math.max(0, size - LEFT_BYTES));
}

test(
  'a full disk stops npm start in one line, and the next start has all that was accepted',
  TWO_STARTS,
  async (context) => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'sitefetch-disk-'));
    await using disk = await smallDisk(folder.path);
    if (disk === undefined) return void context.skip('only root can mount a small disk');
    const [localDir, filler] = [join(folder.path, 'local'), join(folder.path, 'filler')];
    await using first = await npmStart({ localDir });
    const before = clientOf(first.file.base_url, first.file.api_key);
    const ended = once(first.npm, 'exit');
    await fill(filler);
    const accepted: string[] = [];
    const url = `${first.file.demo_site}/?${'x'.repeat(2_000)}`;
    const submit = async () => {
      const id = await before.submit({ url }).catch(() => undefined);
      if (id !== undefined) accepted.push(id);
      return first.npm.exitCode;
    };
    await expect.poll(submit, { interval: 20, timeout: 100_000 }).toBe(1);
    await ended;
    expect(first.output()).toMatch(FULL);
    expect(first.output()).not.toMatch(/^ +at |Runtime\./m);

    await rm(filler);
    await using second = await npmStart({ localDir });
    const after = clientOf(second.file.base_url, second.file.api_key);
    expect(second.file.api_key).toBe(first.file.api_key);
    expect(accepted.length).toBeGreaterThan(0);
    for (const id of accepted) expect((await after.settled(id)).job.status).toBe('completed');
  },
);
