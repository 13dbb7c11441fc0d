import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { subjectHash } from './subject-hash.ts';

/**
 * Names each certificate's file after its subject's hash, so that OpenSSL and BoringSSL read only the files
 * they need: https://docs.openssl.org/3.0/man1/openssl-rehash/
 */
export async function writeAuthorities(certificates: readonly string[], folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const taken = new Map<string, number>();
  for (const pem of certificates) {
    const hash = subjectHash(pem);
    const number = taken.get(hash) ?? 0;
    taken.set(hash, number + 1);
    await writeFile(join(folder, `${hash}.${number}`), `${pem.trim()}\n`);
  }
}
