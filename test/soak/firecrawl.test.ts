import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { CASES, LEFT_OUT } from '../firecrawl/left-out.ts';

const MEBIBYTE = 1_024 * 1_024;

test("the tests of Firecrawl's SDK pass, except for the known exceptions", async () => {
  const { stdout } = await promisify(execFile)('npm', ['run', 'test:firecrawl'], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    maxBuffer: 16 * MEBIBYTE,
  });
  expect(stdout).toContain(`${CASES - Object.keys(LEFT_OUT).length} of ${CASES} cases passed.`);
});
