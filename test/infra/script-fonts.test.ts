import { mkdir, mkdtempDisposable, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  assertFonts,
  copyFonts,
  fontFiles,
  fontsHash,
  scriptFonts,
  withoutSvg,
} from '../../infra/constructs/script-fonts.ts';

/** A font of these tables: https://learn.microsoft.com/typography/opentype/spec/otff#table-directory */
function fontOf(tables: Readonly<Record<string, string>>): Buffer {
  const names = Object.keys(tables);
  const [header, records] = [Buffer.alloc(12), names.map(() => Buffer.alloc(16))];
  header.writeUInt32BE(0x00010000);
  header.writeUInt16BE(names.length, 4);
  let at = 12 + 16 * names.length;
  const contents = Object.values(tables).map((text, index) => {
    const record = records[index] ?? Buffer.alloc(0);
    record.write(names[index] ?? '', 'latin1');
    record.writeUInt32BE(at, 8);
    record.writeUInt32BE(text.length, 12);
    const padded = Buffer.alloc(Math.ceil(text.length / 4) * 4);
    padded.write(text);
    at += padded.length;
    return padded;
  });
  return Buffer.concat([header, ...records, ...contents]);
}

function tablesOf(font: Buffer): Record<string, string> {
  const records = Array.from({ length: font.readUInt16BE(4) }, (_, index) => 12 + index * 16);
  return Object.fromEntries(
    records.map((at) => {
      const [from, length] = [font.readUInt32BE(at + 8), font.readUInt32BE(at + 12)];
      return [font.toString('latin1', at, at + 4), font.toString('latin1', from, from + length)];
    }),
  );
}

const EMOJI = { COLR: 'layers', 'SVG ': '<svg></svg>', glyf: 'outlines!', loca: 'x' };

async function installed() {
  const home = await mkdtempDisposable(join(tmpdir(), 'sitefetch-fonts-'));
  for (const path of fontFiles(home.path)) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, fontOf(EMOJI));
  }
  await writeFile(join(home.path, 'package-lock.json'), '{}');
  return home;
}

test('a font loses its SVG pictures and keeps all else', () => {
  const { 'SVG ': _, ...others } = EMOJI;
  const font = withoutSvg(fontOf(EMOJI));
  expect(tablesOf(font)).toEqual(others);
  // The search fields of three tables.
  expect([font.readUInt16BE(6), font.readUInt16BE(8), font.readUInt16BE(10)]).toEqual([32, 1, 16]);
  expect(withoutSvg(fontOf(others))).toEqual(fontOf(others));
});

test('installed fonts are copied into the layer, and change its hash', async () => {
  await using home = await installed();
  await mkdir(join(home.path, 'layer'));
  await copyFonts(join(home.path, 'layer'), home.path);
  const copied = await readdir(join(home.path, 'layer'));
  expect(copied).toHaveLength(7);
  for (const name of copied)
    expect(Object.keys(tablesOf(await readFile(join(home.path, 'layer', name))))).not.toContain('SVG ');
  const hash = await fontsHash(home.path);
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  await writeFile(join(home.path, 'package-lock.json'), '{"version": 2}');
  expect(await fontsHash(home.path)).not.toBe(hash);
});

test('a stage that wants the fonts is not synthesised without them', async () => {
  await using home = await installed();
  await assertFonts({ fonts: 'all' }, home.path);
  const [first = ''] = await scriptFonts(home.path);
  await rm(first);
  expect(await scriptFonts(home.path)).toEqual([]);
  expect(await fontsHash(home.path)).toBe('');
  await expect(assertFonts({ fonts: 'all' }, home.path)).rejects.toThrow('Run: npm run fonts');
  await assertFonts({}, home.path);
});
