import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createBrotliDecompress } from 'node:zlib';

const cache = fileURLToPath(new URL('../../.cache/', import.meta.url));
const HASH_LENGTH = 16;
const archives = join(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '../bin');

// Relative to this file, so that it holds in the layer and here; no cache of fonts, as a page's code could write to one in /tmp.
// https://fontconfig.pages.freedesktop.org/fontconfig/fontconfig-user.html
const fontsConf = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir>/dev/null</cachedir>
</fontconfig>
`;

/**
 * Unpacks Chromium once per content and gives the absolute path of its folder: `chromium` (the binary) with its
 * software renderer beside it, `lib/` (for LD_LIBRARY_PATH) and `fonts.conf` with `fonts/` (for FONTCONFIG_PATH).
 * The folder's parent is what the Lambda layer holds. Safe to run in several processes at once.
 */
export async function unpackChromium(): Promise<string> {
  const home = join(cache, `chromium-${await chromiumHash()}`);
  const unpacked = join(home, 'layer/chromium');
  if (await exists(unpacked)) return unpacked;

  const draft = `${home}.${randomUUID()}`;
  try {
    await unpackInto(join(draft, 'layer/chromium'));
    await rename(draft, home);
  } catch (error) {
    // Another process was faster: a folder that is not empty cannot be renamed over.
    if (!(await exists(unpacked))) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return unpacked;
}

/** The version of the package that Chromium comes in. */
export async function chromiumVersion(): Promise<string> {
  const manifest = JSON.parse(await readFile(join(archives, '../package.json'), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}

/** What stands for all of the unpacked files: the package's version, and this file, which writes the rest. */
export async function chromiumHash(): Promise<string> {
  const source = await readFile(fileURLToPath(import.meta.url));
  const hash = createHash('sha256')
    .update(await chromiumVersion())
    .update(source)
    .digest('hex');
  return `${await chromiumVersion()}-${hash.slice(0, HASH_LENGTH)}`;
}

/** Inflates all of Chromium into a folder that is not there yet. */
export async function unpackInto(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const parts = await Promise.allSettled([
    inflate('chromium.br', createWriteStream(join(folder, 'chromium'), { mode: 0o755 })),
    untar('al2023.tar.br', folder),
    untar('swiftshader.tar.br', folder),
    untar('fonts.tar.br', folder),
  ]);
  // Settled first: while one still writes, the folder cannot be removed.
  for (const part of parts) if (part.status === 'rejected') throw part.reason;
  await writeFile(join(folder, 'fonts.conf'), fontsConf);
}

async function untar(archive: string, folder: string): Promise<void> {
  // Reads to the end even so: it would hang up after the last file, while the rest is still being written to it.
  const tar = spawn('tar', ['-x', '--ignore-zeros', '--no-same-owner', '-f', '-', '-C', folder], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const [[code], cause] = await Promise.all([
    once(tar, 'close') as Promise<[number | null]>,
    // It leaves once it has seen the archive's end, which may be before our own: only its code tells.
    inflate(archive, tar.stdin).catch((error: unknown) => error),
  ]);
  if (code !== 0) throw new Error(`tar could not unpack ${archive}.`, { cause });
}

async function inflate(archive: string, destination: NodeJS.WritableStream): Promise<void> {
  const chunkSize = 2 ** 21;
  await pipeline(
    createReadStream(join(archives, archive)),
    createBrotliDecompress({ chunkSize }),
    destination,
  );
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
