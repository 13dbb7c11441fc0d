import { readFile } from 'node:fs/promises';
import { expect, inject, test } from 'vitest';
import { discard, isolates } from '../../functions/browser/launch/isolates.ts';
import { unpackChromium } from '../../infra/constructs/unpack-chromium.ts';

test('the soft and hard limits prevent a core dump of the browser', async () => {
  const isolate = await isolates({
    chromiumDir: await unpackChromium(),
    policy: { allow: [] },
    processes: inject('processes'),
  }).take();
  try {
    const limits = await readFile(`/proc/${isolate.browser.pid}/limits`, 'utf8');
    expect(limits).toMatch(/^Max core file size +0 +0 /m);
  } finally {
    await discard(isolate);
  }
});
