import { createHash, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unpackChromium } from '../../../infra/constructs/unpack-chromium.ts';

/** The deployed Chromium with one more flag, which makes it trust the certificate of the tests. */
export async function trustingChromium() {
  const chromium = await unpackChromium();
  const folder = await mkdtemp(join(tmpdir(), 'trusting-chromium-'));
  for (const name of await readdir(chromium)) {
    if (name !== 'chromium') await symlink(join(chromium, name), join(folder, name));
  }
  const wrapper = join(folder, 'chromium');
  const flag = `--ignore-certificate-errors-spki-list=${publicKeyPin()}`;
  await writeFile(wrapper, `#!/bin/sh\nexec "${join(chromium, 'chromium')}" "${flag}" "$@"\n`);
  await chmod(wrapper, 0o755);
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

function publicKeyPin(): string {
  const { publicKey } = new X509Certificate(
    readFileSync(new URL('../../fixtures/tls/cert.pem', import.meta.url)),
  );
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');
}
