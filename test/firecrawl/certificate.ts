import { execFile } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The hosts that the tests name. */
export const HOSTS = ['docs.firecrawl.dev', 'firecrawl.dev', 'github.com'] as const;

/** A certificate for these hosts, which is its own authority, and the hash of its key. */
export async function certificateIn(folder: string) {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const names = HOSTS.map((host) => `DNS:${host}`).join();
  await run('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-keyout', key, '-out', cert, '-subj', '/CN=Firecrawl tests', '-addext', `subjectAltName=${names}`],
  ]);
  const pem = await readFile(cert, 'utf8');
  const { publicKey } = new X509Certificate(pem);
  const pin = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');
  return { key: await readFile(key), pem, pin };
}
