import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

test("the playground's Markdown parser is the package's own file", async () => {
  const served = new URL('../../functions/dashboard/assets/marked.js', import.meta.url);
  const original = await readFile(new URL(import.meta.resolve('marked')), 'utf8');
  expect(await readFile(served, 'utf8')).toBe(original.replace(/^\/\/# sourceMappingURL=.*\n/m, ''));
});
