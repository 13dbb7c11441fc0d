import { createHash } from 'node:crypto';
import { access, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Stage } from '../stages.ts';

const HOME = fileURLToPath(new URL('../fonts', import.meta.url));

/** One weight of each, which Chromium makes bold itself: all nine would exceed Lambda's limit. */
const FILES = [
  'noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf',
  'noto-sans-jp/400Regular/NotoSansJP_400Regular.ttf',
  'noto-sans-kr/400Regular/NotoSansKR_400Regular.ttf',
  'noto-naskh-arabic/400Regular/NotoNaskhArabic_400Regular.ttf',
  'noto-sans-devanagari/400Regular/NotoSansDevanagari_400Regular.ttf',
  'noto-sans-thai/400Regular/NotoSansThai_400Regular.ttf',
  'noto-color-emoji/400Regular/NotoColorEmoji_400Regular.ttf',
] as const;

export const fontFiles = (home = HOME) =>
  FILES.map((file) => join(home, 'node_modules/@expo-google-fonts', file));

/** The fonts of other scripts and of emoji that `npm run fonts` has installed: all of them, or none. */
export async function scriptFonts(home = HOME): Promise<readonly string[]> {
  const paths = fontFiles(home);
  const found = await Promise.all(paths.map(exists));
  return found.every(Boolean) ? paths : [];
}

/** Throws if a stage wants fonts that are not installed: its pictures would silently lose them. */
export async function assertFonts({ fonts }: Pick<Stage, 'fonts'>, home = HOME): Promise<void> {
  if (fonts === 'all' && (await scriptFonts(home)).length === 0)
    throw new Error("The stage has `fonts: 'all'`, but they are not installed. Run: npm run fonts");
}

/** Identifies the installed fonts; empty without any. */
export async function fontsHash(home = HOME): Promise<string> {
  if ((await scriptFonts(home)).length === 0) return '';
  const sources = [join(home, 'package-lock.json'), fileURLToPath(import.meta.url)];
  const hash = createHash('sha256');
  for (const source of sources) hash.update(await readFile(source));
  return hash.digest('hex');
}

export async function copyFonts(into: string, home = HOME): Promise<void> {
  for (const path of await scriptFonts(home))
    await writeFile(join(into, basename(path)), withoutSvg(await readFile(path)));
}

const HEADER_BYTES = 12;
const RECORD_BYTES = 16;
const DROPPED = 'SVG ';

/**
 * A font without its SVG pictures, 20 of the 25 MB of the emoji: Chromium draws the layers of `COLR`.
 * https://learn.microsoft.com/typography/opentype/spec/otff#table-directory
 */
export function withoutSvg(font: Buffer): Buffer {
  const records = Array.from({ length: font.readUInt16BE(4) }, (_, index) => {
    const at = HEADER_BYTES + index * RECORD_BYTES;
    return Buffer.from(font.subarray(at, at + RECORD_BYTES));
  });
  const kept = records.filter((record) => record.toString('latin1', 0, 4) !== DROPPED);
  if (kept.length === records.length) return font;
  const header = Buffer.from(font.subarray(0, HEADER_BYTES));
  const power = Math.floor(Math.log2(kept.length));
  header.writeUInt16BE(kept.length, 4);
  header.writeUInt16BE(2 ** power * RECORD_BYTES, 6);
  header.writeUInt16BE(power, 8);
  header.writeUInt16BE((kept.length - 2 ** power) * RECORD_BYTES, 10);
  let at = HEADER_BYTES + kept.length * RECORD_BYTES;
  const tables = kept.map((record) => {
    const [from, length] = [record.readUInt32BE(8), record.readUInt32BE(12)];
    const padded = Buffer.alloc(Math.ceil(length / 4) * 4);
    font.copy(padded, 0, from, from + length);
    record.writeUInt32BE(at, 8);
    at += padded.length;
    return padded;
  });
  return Buffer.concat([header, ...kept, ...tables]);
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
