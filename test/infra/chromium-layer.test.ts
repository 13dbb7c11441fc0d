import { cp, mkdtempDisposable, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { chromiumHash, unpackChromium } from '../../infra/constructs/unpack-chromium.ts';
import { synthesised, the } from './synthesised.ts';

const one = await synthesised();
const other = await synthesised({ chromium: { hash: '2' } });

type Copy = { chromiumHash: typeof chromiumHash };

const source = fileURLToPath(new URL('../../infra/constructs/unpack-chromium.ts', import.meta.url));
const fonts = fileURLToPath(new URL('../../infra/constructs/script-fonts.ts', import.meta.url));
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));

test('the layer gets a new hash when the unpacked files change', async () => {
  await using home = await mkdtempDisposable(join(tmpdir(), 'sitefetch-layer-'));
  await symlink(modules, join(home.path, 'node_modules'));
  await symlink(fonts, join(home.path, 'script-fonts.ts'));
  const hashOf = async (name: string, change: (code: string) => string) => {
    const file = join(home.path, name);
    await cp(source, file);
    await writeFile(file, change(await readFile(file, 'utf8')));
    const copy = (await import(pathToFileURL(file).href)) as Copy;
    return copy.chromiumHash();
  };
  const hash = await chromiumHash();
  expect(await hashOf('same.ts', (code) => code)).toBe(hash);
  expect(
    await hashOf('fonts.ts', (code) => code.replace('<cachedir>', '<dir>/opt/fonts</dir><cachedir>')),
  ).not.toBe(hash);
  expect(dirname(dirname(await unpackChromium()))).toMatch(new RegExp(`/chromium-${hash}$`));
});

test('the layer is uploaded under its hash', () => {
  const [first, second] = [one, other].map(
    ({ service }) => the(service, 'AWS::Lambda::LayerVersion', 'Chromium').Properties.Content,
  );
  expect(first).not.toEqual(second);
});
