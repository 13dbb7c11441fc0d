import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

type Package = Partial<Record<'dependencies' | 'optionalDependencies', Record<string, string>>>;

const text = await readFile(new URL('../../package-lock.json', import.meta.url), 'utf8');
const { packages } = JSON.parse(text) as { packages: Readonly<Record<string, Package>> };

/** The folders in which Node looks for a package: beside its reader, then further up. */
function* placesOf(name: string, needer: string): Generator<string> {
  for (let at = needer; at !== ''; at = at.slice(0, Math.max(at.lastIndexOf('/node_modules/'), 0)))
    yield `${at}/node_modules/${name}`;
  yield `node_modules/${name}`;
}

test('the lockfile names every package that another one needs, on any platform, or npm ci refuses it', () => {
  const missing = Object.entries(packages).flatMap(([needer, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies }).filter((name) =>
      placesOf(name, needer).every((place) => !(place in packages)),
    ),
  );
  expect(missing).toEqual([]);
});
