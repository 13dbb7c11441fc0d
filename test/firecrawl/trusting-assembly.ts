import { execFile } from 'node:child_process';
import { chmod, glob, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { subjectHash } from '../../infra/constructs/subject-hash.ts';

const run = promisify(execFile);

/** A copy of a cloud assembly whose functions and Chromium trust a certificate as well. */
export async function trustingAssembly(
  assembly: string,
  folder: string,
  { pem, pin }: { pem: string; pin: string },
) {
  const copy = join(folder, 'assembly');
  // Files are the same ones until they are replaced.
  await run('cp', ['-al', assembly, copy]);
  for await (const place of glob('*/authorities', { cwd: copy }))
    await writeFile(join(copy, place, `${subjectHash(pem)}.0`), pem);
  for await (const place of glob('*/chromium/chromium', { cwd: copy })) {
    const file = join(copy, place);
    await rm(file);
    const command = `"${join(assembly, place)}" "--ignore-certificate-errors-spki-list=${pin}" "$@"`;
    await writeFile(file, `#!/bin/sh\nexec ${command}\n`);
    await chmod(file, 0o755);
  }
  return copy;
}
