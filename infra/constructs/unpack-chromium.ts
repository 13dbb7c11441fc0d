import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createBrotliDecompress } from 'node:zlib';
import { copyFonts, fontsHash } from './script-fonts.ts';

const cache = fileURLToPath(new URL('../../.cache/', import.meta.url));
const HASH_LENGTH = 16;
const archives = join(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '../bin');

// The relative path works in the layer and here. No font cache: a page's code could write to one in /tmp.
// https://fontconfig.pages.freedesktop.org/fontconfig/fontconfig-user.html
const fontsConf = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir>/dev/null</cachedir>
</fontconfig>
`;

/**
 * Unpacks Chromium once per version and returns the absolute path of its folder: `chromium` with its software
 * renderer, `lib/` (LD_LIBRARY_PATH), and `fonts.conf` with `fonts/` (FONTCONFIG_PATH). The folder's parent
 * becomes the Lambda layer. Several processes may run it at once.
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
    // Another process was faster: rename does not replace a folder with content.
    if (!(await exists(unpacked))) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return unpacked;
}

export async function chromiumVersion(): Promise<string> {
  const manifest = JSON.parse(await readFile(join(archives, '../package.json'), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}

/** Identifies the unpacked files by what determines them: package, this source file and installed fonts. */
export async function chromiumHash(): Promise<string> {
  const source = await readFile(fileURLToPath(import.meta.url));
  const hash = createHash('sha256')
    .update(await chromiumVersion())
    .update(source)
    .update(await fontsHash())
    .digest('hex');
  return `${await chromiumVersion()}-${hash.slice(0, HASH_LENGTH)}`;
}

export async function unpackInto(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const parts = await Promise.allSettled([
    inflate('chromium.br', createWriteStream(join(folder, 'chromium'), { mode: 0o755 })),
    untar('al2023.tar.br', folder),
    untar('swiftshader.tar.br', folder),
    untar('fonts.tar.br', folder),
  ]);
  // Wait for all of them: the folder cannot be removed while one still writes.
  for (const part of parts) if (part.status === 'rejected') throw part.reason;
  await copyFonts(join(folder, 'fonts'));
  await writeFile(join(folder, 'fonts.conf'), fontsConf);
}

async function untar(archive: string, folder: string): Promise<void> {
  // Without --ignore-zeros tar exits early and breaks the pipe.
  const tar = spawn('tar', ['-x', '--ignore-zeros', '--no-same-owner', '-f', '-', '-C', folder], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const [[code], cause] = await Promise.all([
    once(tar, 'close') as Promise<[number | null]>,
    // tar may exit before our write ends; only its exit code counts.
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
